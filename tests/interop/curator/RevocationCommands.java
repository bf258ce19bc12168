package drover.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.Revoker;

/** Asks the holder of a node to let go, and holds a mutex that others may ask for: ask, acquire, asked, release. */
final class RevocationCommands implements Recipe {
    private record Held(InterProcessMutex mutex, CountDownLatch asked) {}

    private final CuratorFramework curator;
    private final Map<String, Held> held = new HashMap<>();

    RevocationCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    @Override
    public Answer run(Command command) throws Exception {
        switch (command.verb()) {
            case "ask" -> Revoker.attemptRevoke(curator, command.path());
            case "acquire" -> {
                Held lock = new Held(new InterProcessMutex(curator, command.path()), new CountDownLatch(1));
                lock.mutex().makeRevocable(mutex -> lock.asked().countDown());
                lock.mutex().acquire();
                held.put(command.path(), lock);
            }
            case "asked" -> held.get(command.path()).asked().await();
            case "release" -> held.remove(command.path()).mutex().release();
            default -> throw command.unknown();
        }
        return new Answer();
    }
}
