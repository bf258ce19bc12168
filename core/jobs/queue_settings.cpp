#include "jobs/queue_settings.h"

#include "jobs/limits.h"
#include "recipes/persist.h"

#include <QLoggingCategory>

namespace drover::jobs {

using zk::Answer;

Q_LOGGING_CATEGORY(lcQueueSettings, "drover.jobs.queue_settings")

namespace {

constexpr int Version = 1;

async::Task<zk::Node> readQueue(zk::Coordinator &zk, Layout layout, QByteArray queue)
{
    const zk::Path path = layout.queue(queue);
    const auto read = [&] { return zk.get(path); };
    for (;;) {
        const Answer<zk::Node> node = co_await recipes::persist(zk, read);
        if (node.ok())
            co_return *node;
        co_await requireQueue(zk, layout, queue); // throws, unless it has just been made
    }
}

} // namespace

QByteArray QueueSettings::encode() const
{
    return JsonWriter(Version)
        .add("paused", paused)
        .add("paused_by", pausedBy)
        .add("why", why)
        .add("paused_ms", pausedAt)
        .add("limit", qint64(limit))
        .bytes();
}

QueueSettings QueueSettings::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    QueueSettings settings;
    settings.paused = fields.boolean("paused");
    settings.pausedBy = fields.string("paused_by");
    settings.why = fields.string("why");
    settings.pausedAt = fields.milliseconds("paused_ms");
    settings.limit = static_cast<int>(fields.integer("limit", 0, MaxLimit, 0));
    return settings;
}

QueueSettings QueueSettings::of(const QByteArray &bytes)
{
    if (bytes.isEmpty())
        return {};
    try {
        return decode(bytes);
    } catch (const Malformed &error) {
        qCWarning(lcQueueSettings, "the settings of a queue are malformed (%s): it has none", error.what());
    }
    return {};
}

async::Task<QueueSettings> queueSettings(zk::Coordinator &zk, Layout layout, QByteArray queue)
{
    const zk::Node node = co_await readQueue(zk, layout, queue);
    co_return QueueSettings::of(node.data);
}

async::Task<QueueSettings> changeQueue(zk::Coordinator &zk, Layout layout, QByteArray queue,
                                       std::function<void(QueueSettings &)> change)
{
    for (;;) {
        const zk::Node node = co_await readQueue(zk, layout, queue);
        QueueSettings settings = QueueSettings::of(node.data);
        const QueueSettings before = settings;
        change(settings);
        if (settings == before)
            co_return settings;
        try {
            const Answer<zk::Stat> set = co_await zk.set(layout.queue(queue), settings.encode(), node.stat.version);
            if (set.ok())
                co_return settings;
            continue; // somebody else has changed them meanwhile
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

// The permits are there before anybody asks for one, and are enough for those who ask when nobody has to any longer.
async::Task<void> limitQueue(zk::Coordinator &zk, Layout layout, QByteArray queue, int limit)
{
    const QByteArray name = Layout::limitOfQueue(queue);
    const auto change = [limit](QueueSettings &settings) { settings.limit = limit; };
    co_await requireQueue(zk, layout, queue);
    if (limit > 0)
        co_await setLimit(zk, layout, name, limit);
    co_await changeQueue(zk, layout, queue, change);
    if (limit == 0)
        co_await setLimit(zk, layout, name, MaxPermits);
}

} // namespace drover::jobs
