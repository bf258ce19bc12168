package drover.interop;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;

/** barrier: set PATH, wait PATH, remove PATH. */
final class BarrierCommands implements Recipe {
    private final CuratorFramework curator;

    BarrierCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        DistributedBarrier barrier = new DistributedBarrier(curator, command.path());
        switch (command.verb()) {
            case "set" -> barrier.setBarrier();
            case "wait" -> barrier.waitOnBarrier();
            case "remove" -> barrier.removeBarrier();
            default -> throw command.unknown();
        }
        return new Answer();
    }
}
