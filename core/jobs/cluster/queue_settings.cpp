#include "jobs/cluster/queue_settings.h"

#include "jobs/audit/actor_name.h"
#include "jobs/audit/audit_note.h"
#include "jobs/cluster/limits.h"
#include "jobs/model/json_fields.h"
#include "recipes/blocks/persistent.h"

#include <QLoggingCategory>

namespace drover::jobs {

using zk::Answer;

Q_LOGGING_CATEGORY(lcQueueSettings, "drover.jobs.queue_settings")

namespace {

async::Task<zk::Node> readQueue(Cluster cluster, QByteArray queue)
{
    for (;;) {
        const Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(cluster.layout.queue(queue));
        if (node.ok())
            co_return *node;
        co_await requireQueue(cluster, queue); // throws, unless it has just been made
    }
}

// What a newer drover has written is not to be lost.
void requireKnown(const QByteArray &queue, const QByteArray &data)
{
    try {
        if (!data.isEmpty())
            QueueSettings::decode(data);
    } catch (const NewerFormat &error) {
        throw WrongState(
            QStringLiteral("the settings of queue %1 are in the hands of a newer drover (%2); update drover "
                           "on this machine")
                .arg(QString::fromUtf8(queue), QString::fromUtf8(error.what())));
    } catch (const Malformed &) {
    }
}

AuditNote noteOf(const Cluster &cluster, const QByteArray &queue, const QueueSettings &before,
                 const QueueSettings &after)
{
    const QString name = QString::fromUtf8(queue);
    if (before.limit != after.limit)
        return {cluster, AuditAction::QueueLimited, name,
                after.limit == 0 ? QStringLiteral("none") : QString::number(after.limit)};
    return {cluster, after.paused ? AuditAction::QueuePaused : AuditAction::QueueResumed, name, after.why};
}

} // namespace

template <class Fields, class Record>
void QueueSettings::fields(Fields &each, Record &settings)
{
    each("paused", settings.paused);
    each("paused_by", settings.pausedBy);
    each("why", settings.why);
    each("paused_ms", settings.pausedAt);
    each("limit", settings.limit, {0, MaxLimit});
}

QByteArray QueueSettings::encode() const
{
    return encodeRecord(*this);
}

QueueSettings QueueSettings::decode(const QByteArray &bytes)
{
    return decodeRecord<QueueSettings>(bytes);
}

QueueSettings QueueSettings::of(const QByteArray &bytes)
{
    if (bytes.isEmpty())
        return {};
    try {
        return decode(bytes);
    } catch (const NewerFormat &error) {
        QueueSettings unknown;
        unknown.paused = true;
        unknown.pausedBy = QStringLiteral("a newer drover");
        unknown.why = QString::fromUtf8(error.what());
        return unknown;
    } catch (const Malformed &error) {
        qCWarning(lcQueueSettings, "the settings of a queue are malformed (%s): it has none", error.what());
    }
    return {};
}

async::Task<QueueSettings> queueSettings(Cluster cluster, QByteArray queue)
{
    const zk::Node node = co_await readQueue(cluster, queue);
    co_return QueueSettings::of(node.data);
}

async::Task<QueueSettings> changeQueue(Cluster cluster, QByteArray queue, std::function<void(QueueSettings &)> change)
{
    std::optional<AuditNote> note; // of all attempts
    for (;;) {
        const zk::Node node = co_await readQueue(cluster, queue);
        requireKnown(queue, node.data);
        QueueSettings settings = QueueSettings::of(node.data);
        const QueueSettings before = settings;
        change(settings);
        if (settings == before)
            co_return settings;
        if (!note)
            note = noteOf(cluster, queue, before, settings);
        zk::Transaction write;
        write.set(cluster.layout.queue(queue), settings.encode(), node.stat.version);
        const Answer<zk::Committed> written = co_await commitNoted(cluster, write, note);
        if (written.ok())
            co_return settings;
        // Another client has changed them meanwhile.
    }
}

async::Task<void> pauseQueue(Cluster cluster, QByteArray queue, QString why)
{
    const QString by = actorName(cluster);
    const std::chrono::milliseconds now = cluster.zk.loop().wallClock();
    const auto change = [&](QueueSettings &settings) {
        if (settings.paused && why.isEmpty())
            return;
        settings.paused = true;
        settings.pausedBy = by;
        settings.why = why;
        settings.pausedAt = now;
    };
    co_await changeQueue(cluster, queue, change);
}

async::Task<void> resumeQueue(Cluster cluster, QByteArray queue)
{
    const auto change = [](QueueSettings &settings) {
        const int limit = settings.limit;
        settings = {};
        settings.limit = limit;
    };
    co_await changeQueue(cluster, queue, change);
}

// The permits exist before the first job asks for one. They also suffice for late jobs after the limit is lifted.
async::Task<void> limitQueue(Cluster cluster, QByteArray queue, int limit)
{
    const QByteArray name = Layout::limitOfQueue(queue);
    const auto change = [limit](QueueSettings &settings) { settings.limit = limit; };
    co_await requireQueue(cluster, queue);
    if (limit > 0)
        co_await setPermits(cluster, name, limit);
    co_await changeQueue(cluster, queue, change);
    if (limit == 0)
        co_await setPermits(cluster, name, MaxPermits);
}

} // namespace drover::jobs
