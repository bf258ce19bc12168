#include "app/bench/benches.h"
#include "app/bench/figures/grant_log.h"
#include "app/bench/setup/participants.h"
#include "async/or_timeout.h"

namespace drover::app {

using namespace std::chrono_literals;

namespace {

async::Task<void> contend(zk::Client &zk, std::unique_ptr<Contention> contention, std::chrono::milliseconds hold,
                          GrantLog &log, Participants &participants)
{
    for (int round = 0; !participants.isOver(); ++round) {
        const async::TimePoint asked = zk.loop().now();
        recipes::Lock lock = co_await contention->of(round).acquire();
        const async::TimePoint now = zk.loop().now();
        log.granted({lock.fence().czxid, contention->isExclusive(round), now - asked}, now);
        if (hold > 0ms)
            co_await async::sleepFor(zk.loop(), hold);
        log.released(zk.loop().now());
        lock.release();
        if (round == 0)
            participants.noteWarm();
    }
}

} // namespace

async::Task<Figures> measureLock(std::vector<zk::Client *> sessions, LockBenchOptions options)
{
    async::Loop &loop = sessions.front()->loop();
    co_await sessions.front()->ensurePath(options.directory);

    GrantLog log;
    Participants participants(static_cast<int>(sessions.size()) * options.contendersPerSession);
    for (int i = 0; i < participants.size(); ++i) {
        zk::Client &zk = *sessions[static_cast<std::size_t>(i) % sessions.size()];
        participants.spawn(contend(zk, options.contention(zk, options.directory, i), options.hold, log, participants));
    }
    try {
        co_await async::orTimeout(loop, participants.warm(), options.warmUp);
    } catch (const async::Timeout &) {
    }
    const std::function<void(bool)> measuring = [&](bool on) {
        if (on)
            log.begin();
        else
            log.end();
    };
    const Participants::Span span = co_await participants.measure(sessions, options.duration, measuring);
    const async::Duration elapsed = log.elapsed();

    const auto count = static_cast<double>(std::max<std::size_t>(log.size(), 1));
    const QString unit = participants.size() == 1 ? QStringLiteral("cycle") : QStringLiteral("hand-off");
    Figures figures("lock");
    figures.add("clients", participants.size(), "contend for one lock");
    figures.addMilliseconds("elapsed_ms", elapsed, "measured");
    figures.addMilliseconds("rtt_ms", options.roundTrip, "injected round trip");
    log.addTo(figures, unit);
    if (options.roundTrip > 0ns)
        figures.add("round_trips", std::chrono::duration<double>(elapsed) / options.roundTrip / count,
                    QStringLiteral("a %1, by time").arg(unit));
    span.addTo(figures, log.size(), QStringLiteral("sent for each %1").arg(unit), "watch events a release");
    co_return figures;
}

} // namespace drover::app
