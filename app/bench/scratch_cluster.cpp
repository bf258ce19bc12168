#include "app/bench/scratch_cluster.h"

#include "recipes/persist.h"

#include <algorithm>

namespace drover::app {

using namespace std::chrono_literals;
using recipes::persist;
using zk::Answer;

namespace {

constexpr qsizetype Flight = 500; // reads under way
constexpr auto PollInterval = 10ms;
constexpr auto StallLimit = 60s;

} // namespace

async::Task<void> makeScratchCluster(zk::Coordinator &zk, jobs::Layout layout, qint64 jobs)
{
    const QByteArrayList queues(1, QByteArrayLiteral("default"));
    co_await jobs::ensureCluster(zk, layout, queues);
    jobs::ClusterConfig config;
    config.queueLimit = std::max(config.queueLimit, jobs);
    config.doneLimit = std::max(config.doneLimit, jobs);
    const zk::Path path = layout.config();
    const QByteArray data = config.encode();
    const auto write = [&] { return zk.set(path, data); };
    const Answer<zk::Stat> written = co_await persist(zk, write);
    written.require();
}

async::Task<void> awaitEnded(zk::Coordinator &zk, jobs::Layout layout, qint64 count, std::function<void()> check)
{
    const zk::Path done = layout.done();
    const auto look = [&] { return zk.exists(done); };
    qint64 seen = -1;
    async::TimePoint moved = zk.loop().now();
    for (;;) {
        const Answer<zk::Stat> stat = co_await persist(zk, look);
        if (stat->numChildren >= count)
            co_return;
        if (stat->numChildren != seen)
            moved = zk.loop().now();
        seen = stat->numChildren;
        check();
        if (zk.loop().now() - moved > StallLimit)
            throw std::runtime_error("no job has ended for a minute, and not all have");
        co_await async::sleepFor(zk.loop(), PollInterval);
    }
}

async::Task<std::vector<jobs::FinalRecord>> readRecords(zk::Coordinator &zk, jobs::Layout layout)
{
    const zk::Path done = layout.done();
    const auto list = [&] { return zk.children(done); };
    const Answer<zk::Children> children = co_await persist(zk, list);
    const QByteArrayList names = children->names;
    std::vector<jobs::FinalRecord> records;
    for (qsizetype from = 0; from < names.size(); from += Flight) {
        const QByteArrayList flight = names.mid(from, Flight);
        std::vector<zk::Reply<zk::Node>> reads;
        for (const QByteArray &name : flight)
            reads.push_back(zk.get(done / name));
        for (qsizetype i = 0; i < flight.size(); ++i) {
            const Answer<zk::Node> node = co_await reads[static_cast<std::size_t>(i)];
            const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(flight[i]));
            if (!id)
                throw jobs::Malformed(QStringLiteral("%1 is no job").arg(QString::fromUtf8(flight[i])));
            records.push_back(jobs::FinalRecord::decode(node.value().data, *id));
        }
    }
    co_return records;
}

void requireOneGoodEnd(const std::vector<jobs::FinalRecord> &records, QSet<jobs::JobId> ids)
{
    for (const jobs::FinalRecord &record : records) {
        const QString id = record.id.toString();
        if (!ids.remove(record.id))
            throw std::runtime_error(
                QStringLiteral("nobody has submitted the job %1 that ended").arg(id).toStdString());
        if (record.state() != jobs::JobState::Succeeded)
            throw std::runtime_error(QStringLiteral("job %1 ended with code %2 %3")
                                         .arg(id)
                                         .arg(record.exitCode())
                                         .arg(record.reason)
                                         .toStdString());
    }
    if (!ids.isEmpty())
        throw std::runtime_error("jobs without a final record: " + std::to_string(ids.size()));
}

} // namespace drover::app
