package drover.interop;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.recipes.queue.DistributedQueue;

/** queue: put PATH DATA, produce PATH COUNT PREFIX, take PATH, and drain PATH, which takes until it meets "stop". */
final class QueueCommands implements Recipe {
    private final Maker maker;

    private QueueCommands(Maker maker) {
        this.maker = maker;
    }

    static Recipe curators(CuratorFramework curator) {
        return new QueueCommands(path -> {
            SimpleDistributedQueue queue = new SimpleDistributedQueue(curator, path);
            return new Queue(queue::offer, queue::take);
        });
    }

    static Recipe zooKeepers(CuratorFramework curator) {
        return new QueueCommands(path -> {
            DistributedQueue queue = new DistributedQueue(
                    curator.getZookeeperClient().getZooKeeper(), path, ZooDefs.Ids.OPEN_ACL_UNSAFE);
            return new Queue(queue::offer, queue::take);
        });
    }

    /** Curator's own DistributedQueue, which only puts here: it takes by a consumer of its own. */
    static Recipe serializing(CuratorFramework curator) {
        QueueSerializer<byte[]> asItIs = new QueueSerializer<>() {
            @Override
            public byte[] serialize(byte[] item) {
                return item;
            }

            @Override
            public byte[] deserialize(byte[] bytes) {
                return bytes;
            }
        };
        return new QueueCommands(path -> {
            var queue = QueueBuilder.builder(curator, null, asItIs, path).buildQueue();
            queue.start();
            return new Queue(
                    item -> {
                        queue.put(item);
                        return queue.flushPuts(30, TimeUnit.SECONDS);
                    },
                    () -> {
                        throw new UnsupportedOperationException("it has no consumer");
                    });
        });
    }

    private interface Maker {
        Queue make(String path) throws Exception;
    }

    private interface Offer {
        boolean offer(byte[] item) throws Exception;
    }

    private interface Take {
        byte[] take() throws Exception;
    }

    private record Queue(Offer offer, Take take) {
        void put(String item) throws Exception {
            offer.offer(item.getBytes(StandardCharsets.UTF_8));
        }

        String next() throws Exception {
            return new String(take.take(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public Answer run(Command command) throws Exception {
        Queue queue = maker.make(command.path());
        switch (command.verb()) {
            case "put" -> queue.put(command.text(0));
            case "produce" -> {
                for (int i = 0; i < command.number(0); ++i) {
                    queue.put(command.text(1) + i);
                }
            }
            case "take" -> {
                return Answer.of("data", queue.next());
            }
            case "drain" -> {
                List<String> items = new ArrayList<>();
                for (String item = queue.next(); !item.equals("stop"); item = queue.next()) {
                    items.add(item);
                }
                return Answer.of("items", items);
            }
            default -> throw command.unknown();
        }
        return new Answer();
    }
}
