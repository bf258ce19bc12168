#include "app/doctor/checks.h"
#include "jobs/client/own_clock.h"
#include "text/clock_difference.h"

namespace drover::app {

async::Task<void> checkOwnClock(jobs::Cluster cluster, Findings &findings)
{
    const std::optional<std::chrono::milliseconds> ahead = co_await jobs::ownClockAhead(cluster);
    if (!ahead || std::chrono::abs(*ahead) < text::ClockTolerance)
        co_return;
    findings.append({Finding::Level::Warning, QStringLiteral("clock"),
                     QStringLiteral("the clock of this machine is %1").arg(text::clockDifference(*ahead)),
                     QStringLiteral("set it (NTP): workers may refuse jobs that are signed here, and --start-at and "
                                    "the ages in tables go by it")});
}

} // namespace drover::app
