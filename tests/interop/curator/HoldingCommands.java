package drover.interop;

import java.util.HashMap;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;

/** lock, read, write and semaphore: acquire, release, and contend with whoever else is there. */
final class HoldingCommands implements Recipe {
    private final CuratorFramework curator;
    private final Holding.Maker maker;
    private final Map<String, Holding> held = new HashMap<>();

    HoldingCommands(CuratorFramework curator, Holding.Maker maker) {
        this.curator = curator;
        this.maker = maker;
    }

    @Override
    public Answer run(Command command) throws Exception {
        switch (command.verb()) {
            case "acquire" -> {
                Holding holding = maker.make(curator, command);
                String node = holding.acquire();
                held.put(command.path(), holding);
                return Answer.of("node", node).with("czxid", czxid(node));
            }
            case "release" -> {
                held.remove(command.path()).release();
                return new Answer();
            }
            case "contend" -> {
                return contend(maker.make(curator, command), command);
            }
            default -> throw command.unknown();
        }
    }

    private Answer contend(Holding holding, Command command) throws Exception {
        int rounds = command.number(0);
        FencedLog log = new FencedLog(command.text(1), command.who(), command.recipe());
        for (int i = 0; i < rounds; ++i) {
            long token = czxid(holding.acquire());
            log.begin(token);
            Thread.sleep(1);
            log.end(token);
            holding.release();
        }
        return Answer.of("rounds", rounds);
    }

    private long czxid(String node) throws Exception {
        return curator.checkExists().forPath(node).getCzxid();
    }
}
