package drover.interop;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/** One session and one thread, which carries out its commands one after the other. */
final class PeerClient {
    private final CuratorFramework curator;
    private final Map<String, Recipe> recipes;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    PeerClient(String servers) {
        curator = connect(servers);
        Recipe counts = new CountCommands(curator);
        recipes = Map.ofEntries(
                Map.entry("lock", holdings((client, command) -> Holding.mutex(client, command.path()))),
                Map.entry("read", holdings((client, command) -> Holding.reading(client, command.path()))),
                Map.entry("write", holdings((client, command) -> Holding.writing(client, command.path()))),
                Map.entry("writelock", holdings((client, command) -> new ZooKeepersLock(client, command.path()))),
                Map.entry("semaphore", holdings((client, command) -> Holding.lease(client, command.path(), command.permits()))),
                Map.entry("semaphoremutex", holdings((client, command) -> Holding.semaphoreMutex(client, command.path()))),
                Map.entry("revocation", new RevocationCommands(curator)),
                Map.entry("latch", new LatchCommands(curator)),
                Map.entry("selector", new SelectorCommands(curator)),
                Map.entry("group", new GroupCommands(curator)),
                Map.entry("barrier", new BarrierCommands(curator)),
                Map.entry("double", new DoubleBarrierCommands(curator)),
                Map.entry("counter", counts),
                Map.entry("count", counts),
                Map.entry("value", new ValueCommands(curator)),
                Map.entry("queue", QueueCommands.curators(curator)),
                Map.entry("serialqueue", QueueCommands.serializing(curator)),
                Map.entry("zkqueue", QueueCommands.zooKeepers(curator)));
    }

    private Recipe holdings(Holding.Maker maker) {
        return new HoldingCommands(curator, maker);
    }

    /** With DROVER_AUTH=digest:USER:PASSWORD it authenticates, and its nodes get the ACL of the creator. */
    static CuratorFramework connect(String servers) {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs(10_000)
                .connectionTimeoutMs(10_000)
                .retryPolicy(new RetryNTimes(5, 200));
        String auth = System.getenv("DROVER_AUTH");
        if (auth != null) {
            String[] parts = auth.split(":", 2);
            builder.authorization(parts[0], parts[1].getBytes(StandardCharsets.UTF_8)).aclProvider(new CreatorsOwn());
        }
        CuratorFramework curator = builder.build();
        curator.start();
        return curator;
    }

    private static final class CreatorsOwn implements ACLProvider {
        @Override
        public List<ACL> getDefaultAcl() {
            return ZooDefs.Ids.CREATOR_ALL_ACL;
        }

        @Override
        public List<ACL> getAclForPath(String path) {
            return getDefaultAcl();
        }
    }

    void run(Command command) {
        thread.execute(() -> {
            Answer answer = Answer.of("client", command.client());
            try {
                Recipe recipe = recipes.get(command.recipe());
                if (recipe == null) {
                    throw new IllegalArgumentException("there is no recipe " + command.recipe());
                }
                answer = recipe.run(command).with("client", command.client());
            } catch (Exception | LinkageError failure) {
                answer.with("error", failure);
            }
            synchronized (System.out) {
                System.out.println(answer);
            }
        });
    }

    void close() {
        curator.close();
    }
}
