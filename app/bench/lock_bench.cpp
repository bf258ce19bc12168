#include "app/bench/lock_bench.h"

#include "app/bench/distribution.h"
#include "recipes/mutex.h"

#include <stdexcept>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

class GrantLog
{
public:
    // Throws std::logic_error.
    void granted(zk::Zxid token, async::TimePoint now)
    {
        if (token <= m_lastToken)
            throw std::logic_error("two holders of the lock overlapped: a later one has a lower fencing token");
        if (m_measuring)
            m_intervals.add(now - m_last);
        m_lastToken = token;
        m_last = now;
    }

    // From here on: measured is from the last grant.
    void begin() { m_measuring = true; }
    void end() { m_measuring = false; }

    async::TimePoint last() const { return m_last; }
    const Distribution &intervals() const { return m_intervals; }

private:
    zk::Zxid m_lastToken = 0;
    async::TimePoint m_last{};
    bool m_measuring = false;
    Distribution m_intervals;
};

struct Contest {
    GrantLog log;
    int warm = 0; // sessions that have held the lock
    async::Event allWarm;
    bool over = false;
    std::exception_ptr failure;
};

async::Task<void> contend(zk::Coordinator &zk, zk::Path directory, Contest &contest, int contenders)
{
    recipes::Mutex mutex(zk, directory);
    for (bool first = true; !contest.over; first = false) {
        recipes::Lock lock = co_await mutex.acquire();
        contest.log.granted(lock.fence().czxid, zk.loop().now());
        lock.release();
        if (first && ++contest.warm == contenders)
            contest.allWarm.set();
    }
}

zk::Coordinator::Counters sum(const std::vector<zk::Coordinator *> &sessions)
{
    zk::Coordinator::Counters total;
    for (const zk::Coordinator *session : sessions) {
        total.requests += session->counters().requests;
        total.watchEvents += session->counters().watchEvents;
    }
    return total;
}

} // namespace

async::Task<Figures> measureLock(std::vector<zk::Coordinator *> sessions, LockBenchOptions options)
{
    zk::Coordinator &first = *sessions.front();
    async::Loop &loop = first.loop();
    co_await first.ensurePath(options.directory);

    Contest contest;
    async::TaskGroup contenders([&contest](const std::exception_ptr &error) {
        contest.failure = error;
        contest.over = true;
        contest.allWarm.set();
    });
    for (zk::Coordinator *session : sessions)
        contenders.spawn(contend(*session, options.directory, contest, static_cast<int>(sessions.size())));
    co_await contest.allWarm.wait();

    const zk::Coordinator::Counters before = sum(sessions);
    const async::TimePoint begin = contest.log.last();
    contest.log.begin();
    co_await async::sleepFor(loop, options.duration);
    contest.log.end();
    const async::Duration elapsed = contest.log.last() - begin;
    const zk::Coordinator::Counters after = sum(sessions);
    contest.over = true;
    co_await contenders.drained();
    if (contest.failure)
        std::rethrow_exception(contest.failure);

    const Distribution &intervals = contest.log.intervals();
    const auto count = static_cast<double>(std::max<std::size_t>(intervals.size(), 1));
    const QString unit = sessions.size() == 1 ? QStringLiteral("cycle") : QStringLiteral("hand-off");
    Figures figures(QStringLiteral("lock"));
    figures.add("clients", static_cast<int>(sessions.size()), QStringLiteral("sessions, one lock"));
    figures.add("seconds", std::chrono::duration<double>(elapsed).count(), QStringLiteral("measured"));
    figures.addMilliseconds("rtt_ms", options.roundTrip, QStringLiteral("injected round trip"));
    figures.add("cycles", static_cast<qint64>(intervals.size()), QStringLiteral("acquired and released"));
    figures.add("per_s", count / std::chrono::duration<double>(elapsed).count(), unit + QStringLiteral("s a second"));
    figures.addMilliseconds("median_ms", intervals.median(), QStringLiteral("a ") + unit);
    figures.addMilliseconds("p99_ms", intervals.quantile(0.99), QStringLiteral("a ") + unit);
    if (options.roundTrip > 0ns)
        figures.add("round_trips", std::chrono::duration<double>(elapsed) / options.roundTrip / count,
                    QStringLiteral("a %1, by time").arg(unit));
    figures.add("requests", static_cast<double>(after.requests - before.requests) / count,
                QStringLiteral("sent for each %1").arg(unit));
    figures.add("wakeups", static_cast<double>(after.watchEvents - before.watchEvents) / count,
                QStringLiteral("watch events a release"));
    co_return figures;
}

} // namespace drover::app
