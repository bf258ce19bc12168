package drover.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;

/** selector: start PATH ID, await PATH, close PATH (which ends the leadership); leader PATH by anybody. */
final class SelectorCommands implements Recipe {
    private final CuratorFramework curator;
    private final Map<String, Term> terms = new HashMap<>();

    SelectorCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        String path = command.path();
        switch (command.verb()) {
            case "start" -> terms.put(path, new Term(curator, path, command.text(0)));
            case "await" -> terms.get(path).begun.await();
            case "close" -> terms.remove(path).close();
            case "leader" -> {
                LeaderSelector reader = new LeaderSelector(curator, path, new LeaderSelectorListenerAdapter() {
                    @Override
                    public void takeLeadership(CuratorFramework framework) {}
                });
                return Answer.of("leader", reader.getLeader().getId());
            }
            default -> throw command.unknown();
        }
        return new Answer();
    }

    /** Leads, once elected, until it is closed: LeaderSelector then interrupts takeLeadership(). */
    private static final class Term extends LeaderSelectorListenerAdapter {
        final CountDownLatch begun = new CountDownLatch(1);
        private final LeaderSelector selector;

        Term(CuratorFramework curator, String path, String id) {
            selector = new LeaderSelector(curator, path, this);
            selector.setId(id);
            selector.start();
        }

        @Override
        public void takeLeadership(CuratorFramework curator) throws InterruptedException {
            begun.countDown();
            new CountDownLatch(1).await();
        }

        void close() {
            selector.close();
        }
    }
}
