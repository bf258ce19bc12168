package drover.interop;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;

/** queue: put PATH DATA, produce PATH COUNT PREFIX, take PATH, and consume PATH, which takes until it meets "stop". */
final class QueueCommands implements Recipe {
    private final CuratorFramework curator;

    QueueCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        SimpleDistributedQueue queue = new SimpleDistributedQueue(curator, command.path());
        switch (command.verb()) {
            case "put" -> queue.offer(bytes(command.text(0)));
            case "produce" -> {
                for (int i = 0; i < command.number(0); ++i) {
                    queue.offer(bytes(command.text(1) + i));
                }
            }
            case "take" -> {
                return Answer.of("data", text(queue.take()));
            }
            case "consume" -> {
                List<String> items = new ArrayList<>();
                for (String item = text(queue.take()); !item.equals("stop"); item = text(queue.take())) {
                    items.add(item);
                }
                return Answer.of("items", items);
            }
            default -> throw command.unknown();
        }
        return new Answer();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
