package drover.interop;

import java.util.HashMap;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;

/** latch: start PATH ID, await PATH, close PATH; leader PATH by anybody. */
final class LatchCommands implements Recipe {
    private final CuratorFramework curator;
    private final Map<String, LeaderLatch> latches = new HashMap<>();

    LatchCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        String path = command.path();
        switch (command.verb()) {
            case "start" -> {
                LeaderLatch latch = new LeaderLatch(curator, path, command.text(0));
                latches.put(path, latch);
                latch.start();
            }
            case "await" -> latches.get(path).await();
            case "close" -> latches.remove(path).close();
            case "leader" -> {
                return Answer.of("leader", new LeaderLatch(curator, path).getLeader().getId());
            }
            default -> throw command.unknown();
        }
        return new Answer();
    }
}
