package drover.interop;

import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.shared.SharedValue;

/** value: get PATH, set PATH DATA. */
final class ValueCommands implements Recipe {
    private final CuratorFramework curator;

    ValueCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        try (SharedValue value = new SharedValue(curator, command.path(), new byte[0])) {
            value.start();
            switch (command.verb()) {
                case "get" -> {
                    return Answer.of("data", new String(value.getValue(), StandardCharsets.UTF_8));
                }
                case "set" -> value.setValue(command.text(0).getBytes(StandardCharsets.UTF_8));
                default -> throw command.unknown();
            }
        }
        return new Answer();
    }
}
