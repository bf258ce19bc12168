package drover.interop;

import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.recipes.shared.VersionedValue;
import org.apache.curator.retry.RetryNTimes;

/**
 * counter (DistributedAtomicLong, 8 bytes) and count (SharedCount, 4 bytes): get PATH, add PATH N, and contend PATH
 * TIMES, which adds one that many times and answers the values it made.
 */
final class CountCommands implements Recipe {
    private final CuratorFramework curator;

    CountCommands(CuratorFramework curator) {
        this.curator = curator;
    }

    private interface Number {
        long add(int delta) throws Exception;
    }

    @Override
    public Answer run(Command command) throws Exception {
        if (command.recipe().equals("counter")) {
            DistributedAtomicLong counter =
                    new DistributedAtomicLong(curator, command.path(), new RetryNTimes(1000, 1));
            return run(command, delta -> add(counter, delta));
        }
        try (SharedCount count = new SharedCount(curator, command.path(), 0)) {
            count.start();
            return run(command, delta -> add(count, delta));
        }
    }

    private static Answer run(Command command, Number number) throws Exception {
        switch (command.verb()) {
            case "get" -> {
                return Answer.of("value", number.add(0));
            }
            case "add" -> {
                return Answer.of("value", number.add(command.number(0)));
            }
            case "contend" -> {
                List<Long> values = new ArrayList<>();
                for (int i = 0; i < command.number(0); ++i) {
                    values.add(number.add(1));
                }
                return Answer.of("values", values);
            }
            default -> throw command.unknown();
        }
    }

    private static long add(DistributedAtomicLong counter, int delta) throws Exception {
        if (delta == 0) {
            return counter.get().postValue();
        }
        AtomicValue<Long> value = counter.add((long) delta);
        if (!value.succeeded()) {
            throw new IllegalStateException("others were always faster");
        }
        return value.postValue();
    }

    private static long add(SharedCount count, int delta) throws Exception {
        for (;;) {
            VersionedValue<Integer> seen = count.getVersionedValue();
            int sum = seen.getValue() + delta;
            if (delta == 0 || count.trySetCount(seen, sum)) {
                return sum;
            }
        }
    }
}
