#include "gui/rows/event_rows.h"

#include "jobs/model/job_state.h"
#include "recipes/locks/read_write_lock.h"

#include <QCoreApplication>

namespace drover::gui {

using jobs::Event;
using Kind = jobs::Event::Kind;
using About = EventRow::About;

namespace {

struct EventRows {
    Q_DECLARE_TR_FUNCTIONS(EventRows)
};

About aboutOf(const Event &event)
{
    if (event.isNamed())
        return event.kind == Kind::LimitSet ? About::Limit : About::Schedule;
    if (event.job)
        return About::Job;
    return event.queue.isEmpty() ? About::Worker : About::Queue;
}

QString detailOf(const Event &event, const EventRow &row)
{
    QStringList parts;
    const auto add = [&](bool isKnown, const QString &part) {
        if (isKnown && !part.isEmpty())
            parts << part;
    };
    add(true, event.isNamed() ? row.job ? row.job->toString() : QString() : row.name);
    const bool hasRun = event.record && event.record->startedAt.count() != 0;
    add(hasRun, event.record ? EventRows::tr("exit code %1").arg(event.record->exitCode()) : QString());
    add(event.kind == Kind::Failed, EventRows::tr("exit code %1").arg(event.exitCode));
    add(event.record.has_value(), event.record ? event.record->reason : QString());
    add(!event.waits.isEmpty(), EventRows::tr("for %1").arg(event.waits));
    add(event.kind == Kind::QueueLimited || event.kind == Kind::LimitSet,
        event.limit == 0 ? EventRows::tr("no limit") : EventRows::tr("%1 at a time").arg(event.limit));
    add(!event.by.isEmpty(), EventRows::tr("by %1").arg(event.by));
    add(true, event.why);
    add(event.attempt > 1, EventRows::tr("attempt %1").arg(event.attempt));
    add(event.job && !row.worker.isEmpty(), EventRows::tr("on %1").arg(row.worker));
    return parts.join(QStringLiteral(", "));
}

bool isBad(const Event &event)
{
    switch (event.kind) {
    case Kind::Failed:
    case Kind::Stopped:
    case Kind::WorkerLeft:
    case Kind::ScheduleSkipped:
        return true;
    case Kind::Ended:
        return event.state == jobs::JobState::Failed;
    default:
        return false;
    }
}

} // namespace

EventRow rowOf(const Event &event, qint64 now)
{
    EventRow row;
    row.at = event.at.count() > 0 ? event.at.count() : now;
    row.event = jobs::kindName(event.kind);
    row.about = aboutOf(event);
    row.job = event.job;
    row.queue = QString::fromUtf8(event.queue.isEmpty() && event.job ? event.job->queue : event.queue);
    row.worker = event.record ? event.record->worker : event.worker;
    row.name = event.record ? event.record->name : event.name;
    row.by = event.by;
    if (row.about == About::Job)
        row.state = jobs::stateName(event.state);
    row.subject = event.isNamed()   ? event.name
        : event.job                 ? event.job->toString()
        : row.about == About::Queue ? row.queue
                                    : event.worker;
    row.detail = detailOf(event, row);
    row.bad = isBad(event);
    return row;
}

EventRow lockRow(const char *event, const LockRow &contender, qint64 at)
{
    EventRow row;
    row.at = at;
    row.event = QLatin1String(event);
    row.about = About::Lock;
    row.subject = QString::fromUtf8(contender.lock);
    row.detail = QString::fromUtf8(contender.about.left(200));
    if (recipes::ReadWriteLock::isReader(contender.ticket))
        row.detail = EventRows::tr("%1 (shared)").arg(row.detail);
    return row;
}

EventRow serverRow(const zk::ServerReport &server, zk::ServerReport::Role before, qint64 now)
{
    EventRow row;
    row.at = now;
    row.event = QStringLiteral("server-changed");
    row.about = About::Server;
    row.subject = server.address.toString();
    row.state = zk::roleName(server.role);
    row.detail = EventRows::tr("it was: %1", "role of a server").arg(zk::roleName(before));
    if (!server.trouble.isEmpty())
        row.detail += QStringLiteral(", ") + server.trouble;
    row.bad = !server.serves();
    return row;
}

EventRow gapRow(qint64 now)
{
    EventRow row;
    row.at = now;
    row.event = QStringLiteral("session-renewed");
    row.detail = EventRows::tr("what happened since the event before is not known");
    row.bad = true;
    return row;
}

} // namespace drover::gui
