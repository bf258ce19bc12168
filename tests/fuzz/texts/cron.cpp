#include "fuzz/harness/target.h"
#include "jobs/schedules/cron_schedule.h"

using namespace drover;

// A cron expression, and on the second line a time zone.
DROVER_FUZZ_TARGET(cron, Form::Bytes)
{
    using std::chrono::milliseconds;
    const qsizetype end = input.indexOf('\n');
    const QString expression = QString::fromUtf8(end < 0 ? input : input.first(end));
    const QString zone = end < 0 ? QString() : QString::fromUtf8(input.sliced(end + 1));
    const auto schedule =
        unlessRefused<jobs::InvalidSchedule>([&] { return jobs::CronSchedule::parse(expression, zone); });
    if (!schedule)
        return;
    const jobs::CronSchedule again = jobs::CronSchedule::parse(schedule->expression().text(), schedule->zone());
    for (const milliseconds now : {milliseconds(0), milliseconds(1'700'000'000'000), jobs::CronSchedule::Latest}) {
        const milliseconds next = schedule->next(now);
        require(next > now, "the next tick is not later");
        require(next == again.next(now), "the text of an expression is another expression");
        const std::vector<milliseconds> latest = schedule->latest(now - std::chrono::hours(1000), now, 3);
        require(latest.size() <= 3 && (latest.empty() || latest.back() <= now), "the latest ticks are not");
    }
}
