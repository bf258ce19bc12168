package drover.interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A real Curator client for others to meet: see ../README.md for what it understands.
 *
 * <pre>
 * curator-peer SERVERS                          commands on standard input, answers on standard output
 * curator-peer SERVERS bench lock PATH 8 5      one measurement
 * </pre>
 *
 * The end of standard input ends it, whatever its clients are waiting for.
 */
public final class CuratorPeer {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 2 && arguments[1].equals("bench")) {
            System.out.println(new Bench(arguments[0], List.of(arguments).subList(2, arguments.length)).run());
            System.exit(0);
        }
        Map<String, PeerClient> clients = new LinkedHashMap<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Command command = Command.parse(line);
            clients.computeIfAbsent(command.client(), name -> new PeerClient(arguments[0])).run(command);
        }
        for (PeerClient client : clients.values()) {
            client.close();
        }
        System.exit(0);
    }

    private CuratorPeer() {}
}
