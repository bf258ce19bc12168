package drover.interop;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.nodes.GroupMember;

/** group: join PATH ID, members PATH (of a group that was joined), leave PATH. A member's data is its id. */
final class GroupCommands implements Recipe {
    private final CuratorFramework curator;
    private final Map<String, GroupMember> joined = new HashMap<>();

    GroupCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        String path = command.path();
        switch (command.verb()) {
            case "join" -> {
                String id = command.text(0);
                GroupMember member = new GroupMember(curator, path, id, id.getBytes(StandardCharsets.UTF_8));
                member.start();
                joined.put(path, member);
            }
            case "members" -> {
                return Answer.of("members", new TreeSet<>(joined.get(path).getCurrentMembers().keySet()));
            }
            case "leave" -> joined.remove(path).close();
            default -> throw command.unknown();
        }
        return new Answer();
    }
}
