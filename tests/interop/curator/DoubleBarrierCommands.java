package drover.interop;

import java.util.HashMap;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;

/** double: enter PATH MEMBERS, leave PATH. */
final class DoubleBarrierCommands implements Recipe {
    private final CuratorFramework curator;
    private final Map<String, DistributedDoubleBarrier> entered = new HashMap<>();

    DoubleBarrierCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        switch (command.verb()) {
            case "enter" -> {
                DistributedDoubleBarrier barrier =
                        new DistributedDoubleBarrier(curator, command.path(), command.number(0));
                barrier.enter();
                entered.put(command.path(), barrier);
            }
            case "leave" -> entered.remove(command.path()).leave();
            default -> throw command.unknown();
        }
        return new Answer();
    }
}
