#include "gui/recording/recorded_events.h"

#include "gui/recording/codec.h"

#include <QCoreApplication>

#include <cstdlib>

namespace drover::gui {

using jobs::JobState;
using Kind = RecordedKey::Kind;

namespace {

struct Events {
    Q_DECLARE_TR_FUNCTIONS(RecordedEvents)
};

constexpr qint64 News = 10'000; // ms: a job that is older than that when it enters the table was there before

template <typename Row>
std::optional<Row> rowIn(const QByteArray &value)
{
    return value.isNull() ? std::nullopt : decodeRow<Row>(value);
}

QString eventOf(const JobRow &job, bool isNew)
{
    if (jobs::isFinal(job.state))
        return QStringLiteral("ended");
    if (job.state == JobState::Running)
        return QStringLiteral("started");
    return isNew ? QStringLiteral("submitted") : QStringLiteral("changed");
}

std::optional<EventRow> ofJob(const QByteArray &before, const QByteArray &after, qint64 at)
{
    const auto old = rowIn<JobRow>(before);
    const auto job = rowIn<JobRow>(after);
    // It is read a moment after its name was seen.
    const bool isNew = !old || !old->loaded;
    const bool isNews = job && job->loaded && (isNew ? std::abs(at - job->since) < News : old->state != job->state);
    if (!isNews)
        return std::nullopt;
    EventRow event;
    event.event = eventOf(*job, isNew);
    event.about = EventRow::About::Job;
    event.subject = job->id.toString();
    event.job = job->id;
    event.queue = QString::fromUtf8(job->id.queue);
    event.state = jobs::stateName(job->state);
    event.worker = job->worker;
    event.name = job->name;
    event.detail = QStringList{job->name, job->worker, job->note}.join(u' ').simplified();
    event.bad = job->state == JobState::Failed;
    return event;
}

std::optional<EventRow> ofQueue(const QByteArray &before, const QByteArray &after)
{
    const auto old = rowIn<QueueDepth>(before);
    const auto queue = rowIn<QueueDepth>(after);
    EventRow event;
    event.about = EventRow::About::Queue;
    event.subject = event.queue = QString::fromUtf8(queue ? queue->name : old ? old->name : QByteArray());
    if (!queue)
        event.event = QStringLiteral("queue-removed");
    else if (!old)
        event.event = QStringLiteral("queue-made");
    else if (old->paused != queue->paused)
        event.event = queue->paused.isEmpty() ? QStringLiteral("queue-resumed") : QStringLiteral("queue-paused");
    else if (old->limit != queue->limit)
        event.event = QStringLiteral("queue-limited");
    else
        return std::nullopt;
    if (queue)
        event.detail = queue->limit > 0 ? Events::tr("limit %1").arg(queue->limit) : queue->paused;
    return event;
}

std::optional<EventRow> ofLock(const QByteArray &before, const QByteArray &after)
{
    const auto old = rowIn<LockRow>(before);
    const auto row = rowIn<LockRow>(after);
    const LockRow &seen = row ? *row : old ? *old : LockRow();
    if (seen.place < 0 || (old && row && (old->place == row->place || row->place > 0)))
        return std::nullopt;
    EventRow event;
    event.about = EventRow::About::Lock;
    event.subject = QString::fromUtf8(seen.lock);
    event.event = !row    ? QStringLiteral("lock-released")
        : row->place == 0 ? QStringLiteral("lock-taken")
                          : QStringLiteral("lock-waits");
    event.detail = QString::fromUtf8(seen.about);
    return event;
}

std::optional<EventRow> ofWorker(const QByteArray &before, const QByteArray &after)
{
    const auto old = rowIn<WorkerRow>(before);
    const auto row = rowIn<WorkerRow>(after);
    EventRow event;
    event.about = EventRow::About::Worker;
    event.subject = event.worker = QString::fromUtf8(row ? row->id : old ? old->id : QByteArray());
    if (!row)
        event.event = QStringLiteral("worker-left");
    else if (!old)
        event.event = QStringLiteral("worker-joined");
    else if (old->cordon != row->cordon)
        event.event = row->cordon.isEmpty() ? QStringLiteral("worker-uncordoned") : QStringLiteral("worker-cordoned");
    else if (!old->master && row->master)
        event.event = QStringLiteral("master-elected");
    else
        return std::nullopt;
    event.bad = !row;
    event.detail = row ? row->cordon : QString();
    return event;
}

std::optional<EventRow> ofZnode(const QByteArray &before, const QByteArray &after)
{
    const auto old = rowIn<ZnodeListing>(before);
    const auto row = rowIn<ZnodeListing>(after);
    if (!old || !row || old->stat.numChildren == row->stat.numChildren)
        return std::nullopt;
    EventRow event;
    event.about = EventRow::About::Server;
    event.event = QStringLiteral("children-changed");
    event.subject = QString::fromUtf8(row->path.bytes());
    event.detail = Events::tr("%1 children, before %2").arg(row->stat.numChildren).arg(old->stat.numChildren);
    return event;
}

std::optional<EventRow> eventOf(const RecordedChange &change, const QByteArray &before)
{
    const QByteArray &after = change.value;
    switch (change.key.kind) {
    case Kind::Job:
        return ofJob(before, after, change.at);
    case Kind::Queue:
        return ofQueue(before, after);
    case Kind::Lock:
    case Kind::Other:
        return ofLock(before, after);
    case Kind::Worker:
        return ofWorker(before, after);
    case Kind::Znode:
        return ofZnode(before, after);
    case Kind::Load:
        break;
    }
    return std::nullopt;
}

} // namespace

QList<EventRow> eventsOf(RecordedState before, const QList<RecordedChange> &changes)
{
    QList<EventRow> events;
    for (const RecordedChange &change : changes) {
        QByteArray &known = before[change.key];
        if (std::optional<EventRow> event = eventOf(change, known)) {
            event->at = change.at;
            events.append(*event);
        }
        known = change.value;
    }
    return events;
}

} // namespace drover::gui
