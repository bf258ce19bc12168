package drover.interop;

import java.util.Arrays;

/** The times from one event to the next, whoever causes it; thread-safe. */
final class Meter {
    private long[] intervals = new long[1 << 16];
    private int size;
    private long first;
    private long last;

    /** What has been measured so far does not count; the next interval begins now. */
    synchronized void start() {
        size = 0;
        first = last = System.nanoTime();
    }

    synchronized void mark() {
        long now = System.nanoTime();
        add(now - last);
        last = now;
    }

    synchronized void add(long nanoseconds) {
        if (size == intervals.length) {
            intervals = Arrays.copyOf(intervals, 2 * size);
        }
        intervals[size++] = nanoseconds;
    }

    synchronized int size() {
        return size;
    }

    /** per_s by the time from start() to the last mark(). */
    synchronized Answer addTo(Answer answer) {
        answer.with("per_s", size * 1e9 / Math.max(last - first, 1));
        return addQuantiles(answer);
    }

    synchronized Answer addQuantiles(Answer answer) {
        return answer.with("median_ms", quantile(0.5)).with("p99_ms", quantile(0.99));
    }

    private double quantile(double share) {
        long[] sorted = Arrays.copyOf(intervals, size);
        Arrays.sort(sorted);
        return size == 0 ? 0 : sorted[(int) Math.min(size - 1, Math.floor(share * size))] / 1e6;
    }
}
