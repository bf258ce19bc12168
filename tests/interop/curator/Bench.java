package drover.interop;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;

/**
 * The measurements that `drover bench` makes of its own recipes, made of Curator's: see ../README.md. Every client has a
 * session and a thread. The first second is for the compiler of the virtual machine and does not count.
 */
final class Bench {
    private static final long WARM_UP_MS = 1000;

    private final String servers;
    private final String work;
    private final String path;
    private final List<String> arguments;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Meter meter = new Meter();
    private volatile boolean over;

    Bench(String servers, List<String> words) {
        this.servers = servers;
        this.work = words.get(0);
        this.path = words.get(1);
        this.arguments = words.subList(2, words.size());
    }

    Answer run() throws Exception {
        Answer answer = Answer.of("bench", work).with("client", "curator");
        return switch (work) {
            case "lock", "rw" -> holdings(answer, number(0), number(1));
            case "queue" -> queue(answer, number(0), number(1), number(2));
            case "latch" -> latch(answer, number(0));
            default -> throw new IllegalArgumentException("there is no bench " + work);
        };
    }

    private int number(int index) {
        return Integer.parseInt(arguments.get(index));
    }

    private CuratorFramework connect() throws InterruptedException {
        CuratorFramework curator = PeerClient.connect(servers);
        curator.blockUntilConnected();
        return curator;
    }

    /** The clients' threads, which end once `over`; a failure of one is thrown by {@link #join}. */
    private List<Future<Void>> start(int clients, Job job) throws Exception {
        List<Callable<Void>> calls = new ArrayList<>();
        for (int i = 0; i < clients; ++i) {
            CuratorFramework curator = connect();
            int index = i;
            calls.add(() -> {
                job.run(curator, index);
                return null;
            });
        }
        return calls.stream().map(threads::submit).toList();
    }

    private interface Job {
        void run(CuratorFramework curator, int index) throws Exception;
    }

    private static void join(List<Future<Void>> jobs) throws Exception {
        for (Future<Void> job : jobs) {
            job.get();
        }
    }

    /** From one grant to the next: of a mutex, or of a lock that is read nine times for each time it is written. */
    private Answer holdings(Answer answer, int clients, int seconds) throws Exception {
        List<Future<Void>> contenders = start(clients, (curator, index) -> {
            Holding mutex = Holding.mutex(curator, path);
            Holding reading = Holding.reading(curator, path);
            Holding writing = Holding.writing(curator, path);
            for (int i = index; !over; ++i) {
                Holding holding = work.equals("lock") ? mutex : i % 10 == 0 ? writing : reading;
                holding.acquire();
                meter.mark();
                holding.release();
            }
        });
        Thread.sleep(WARM_UP_MS);
        meter.start();
        Thread.sleep(seconds * 1000L);
        meter.addTo(answer.with("clients", clients));
        over = true;
        join(contenders);
        return answer;
    }

    /** From one item delivered to the next; a tenth of the items goes through the queue before it counts. */
    private Answer queue(Answer answer, int producers, int consumers, int items) throws Exception {
        byte[] payload = ByteBuffer.allocate(100).array();
        for (int count : new int[] {items / 10, items}) {
            AtomicInteger unmade = new AtomicInteger(count);
            AtomicInteger untaken = new AtomicInteger(count);
            CountDownLatch begin = new CountDownLatch(1);
            List<Future<Void>> jobs = new ArrayList<>(start(producers, (curator, index) -> {
                SimpleDistributedQueue queue = new SimpleDistributedQueue(curator, path);
                begin.await();
                while (unmade.getAndDecrement() > 0) {
                    queue.offer(payload);
                }
            }));
            jobs.addAll(start(consumers, (curator, index) -> {
                SimpleDistributedQueue queue = new SimpleDistributedQueue(curator, path);
                begin.await();
                while (untaken.getAndDecrement() > 0) {
                    queue.take();
                    meter.mark();
                }
            }));
            meter.start();
            begin.countDown();
            join(jobs);
        }
        return meter.addTo(answer.with("producers", producers).with("consumers", consumers).with("items", items));
    }

    /** From the call that closes the leader to the moment at which the other candidate knows that it leads. */
    private Answer latch(Answer answer, int rounds) throws Exception {
        CuratorFramework[] sessions = {connect(), connect()};
        CountDownLatch[] elected = new CountDownLatch[2];
        LeaderLatch[] latches = new LeaderLatch[2];
        long[] closedAt = new long[1];
        for (int round = -rounds / 10 - 1; round < rounds; ++round) {
            if (round == 0) {
                meter.start();
            }
            int heir = Math.floorMod(round, 2);
            int leader = 1 - heir;
            elected[heir] = new CountDownLatch(1);
            latches[heir] = candidate(sessions[heir], elected[heir], closedAt);
            if (latches[leader] != null) {
                elected[leader].await();
                while (latches[heir].getParticipants().size() < 2) {
                    Thread.sleep(1);
                }
                closedAt[0] = System.nanoTime();
                latches[leader].close();
            }
            elected[heir].await();
        }
        return meter.addQuantiles(answer.with("rounds", meter.size()));
    }

    private LeaderLatch candidate(CuratorFramework curator, CountDownLatch elected, long[] closedAt)
            throws Exception {
        LeaderLatch latch = new LeaderLatch(curator, path);
        latch.addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                meter.add(System.nanoTime() - closedAt[0]);
                elected.countDown();
            }

            @Override
            public void notLeader() {}
        });
        latch.start();
        return latch;
    }
}
