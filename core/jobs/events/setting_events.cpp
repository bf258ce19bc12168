#include "jobs/events/setting_events.h"

#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/schedules/schedules.h"
#include "recipes/values/counter.h"

namespace drover::jobs {

namespace {

using Kind = Event::Kind;

Event changeOf(const zk::Node *now)
{
    Event event;
    if (now) {
        event.at = std::chrono::milliseconds(now->stat.mtime);
        event.zxid = now->stat.mzxid;
    }
    return event;
}

// Nothing if it cannot be read.
std::optional<int> permitsIn(const zk::Node *node)
{
    return node ? recipes::SharedCount::decode(node->data) : std::optional(UnsetPermits);
}

std::optional<ScheduleEntry> entryIn(const QByteArray &name, const zk::Node *node)
{
    return node ? readSchedule(name, *node).entry : std::nullopt;
}

// What the master has made of ticks: it takes one down with its job's submission, the job's id a moment later.
std::optional<Kind> tickOf(const ScheduleEntry &before, const ScheduleEntry &now)
{
    const bool hasRun = now.lastRun != before.lastRun || (now.lastJob && !before.lastJob);
    if (hasRun)
        return now.lastJob ? std::optional(Kind::ScheduleRan) : std::nullopt;
    const bool hasPassed = !before.paused && before.when.next(before.lastTick) <= now.lastTick;
    return hasPassed ? std::optional(Kind::ScheduleSkipped) : std::nullopt;
}

} // namespace

std::vector<Event> queueEvents(const QByteArray &queue, const zk::Node *before, const zk::Node *now)
{
    if (!now)
        return {};
    const QueueSettings then = before ? QueueSettings::of(before->data) : QueueSettings();
    const QueueSettings settings = QueueSettings::of(now->data);
    Event event = changeOf(now);
    event.queue = queue;
    std::vector<Event> events;
    if (then.limit != settings.limit) {
        event.kind = Kind::QueueLimited;
        event.limit = settings.limit;
        events.push_back(event);
    }
    if (then.paused != settings.paused) {
        event.kind = settings.paused ? Kind::QueuePaused : Kind::QueueResumed;
        event.by = settings.pausedBy;
        event.why = settings.why;
        events.push_back(event);
    }
    return events;
}

std::vector<Event> limitEvents(const QByteArray &limit, const zk::Node *before, const zk::Node *now)
{
    const std::optional<int> permits = permitsIn(now);
    if (!permits || *permits == permitsIn(before).value_or(UnsetPermits))
        return {};
    Event event = changeOf(now);
    event.kind = Kind::LimitSet;
    event.name = QString::fromUtf8(limit);
    event.limit = *permits;
    return {event};
}

std::vector<Event> scheduleEvents(const QByteArray &schedule, const zk::Node *before, const zk::Node *now)
{
    const bool isNew = now && (!before || before->stat.czxid != now->stat.czxid);
    const std::optional<ScheduleEntry> then = entryIn(schedule, before);
    const std::optional<ScheduleEntry> entry = entryIn(schedule, now);
    const std::optional<ScheduleEntry> &known = entry ? entry : then;
    Event event = changeOf(now);
    event.name = QString::fromUtf8(schedule);
    if (known)
        event.queue = known->job.queue;
    std::vector<Event> events;
    const auto add = [&](Kind kind) {
        event.kind = kind;
        events.push_back(event);
    };
    if (!now) {
        add(Kind::ScheduleRemoved);
    } else if (isNew) {
        event.by = known ? known->job.submitter : QString();
        add(Kind::ScheduleAdded);
    } else if (then && entry) {
        if (const std::optional<Kind> tick = tickOf(*then, *entry)) {
            event.job = *tick == Kind::ScheduleRan ? entry->lastJob : std::nullopt;
            add(*tick);
            event.job.reset();
        }
        if (then->paused != entry->paused)
            add(entry->paused ? Kind::SchedulePaused : Kind::ScheduleResumed);
    }
    return events;
}

} // namespace drover::jobs
