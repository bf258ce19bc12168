#include "jobs/submitter.h"

#include "jobs/move.h"
#include "jobs/read_nodes.h"
#include "recipes/persist.h"

#include <QUuid>

#include <algorithm>
#include <array>

namespace drover::jobs {

using recipes::persist;
using zk::Answer;
using zk::Code;

namespace {

constexpr int RoomCheckInterval = 256;

bool hasKey(const QByteArray &json, const QString &key)
{
    try {
        return JsonFields(json, 1).string("key") == key;
    } catch (const Malformed &) {
        return false;
    }
}

// Which of the jobs, whose nodes are `paths`, has the key; a flight of nodes in memory at a time.
async::Task<std::optional<JobId>> findKey(zk::Coordinator &zk, std::vector<JobId> ids, std::vector<zk::Path> paths,
                                          QString key)
{
    for (std::size_t begin = 0; begin < paths.size(); begin += Flight) {
        const auto first = paths.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = paths.begin() + static_cast<std::ptrdiff_t>(std::min(begin + Flight, paths.size()));
        const std::vector<Answer<zk::Node>> nodes = co_await readNodes(zk, std::vector<zk::Path>(first, last));
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].ok() && hasKey(nodes[i]->data, key))
                co_return ids[begin + i];
        }
    }
    co_return std::nullopt;
}

} // namespace

async::Task<JobId> Submitter::submit(JobSpec spec)
{
    if (spec.key.isEmpty())
        spec.key = QUuid::createUuid().toString(QUuid::Id128);
    const QByteArray data = spec.encode();
    co_await requireRoom(spec.queue);
    const QueueEntry::Class jobClass = spec.entryClass();
    const zk::Path path = m_layout.queue(spec.queue) / QueueEntry::prefix(jobClass, spec.priority);
    for (;;) {
        try {
            const Made made = co_await make(path, data, isMasters(jobClass));
            if (made.code == Code::NoNode) {
                co_await requireQueue(m_zk, m_layout, spec.queue); // throws: somebody has removed the queue
                co_await m_zk.ensurePath(m_layout.waiting(spec.queue));
                continue;
            }
            const bool usedUp = made.code == Code::NodeExists; // the last number, a second time
            const std::optional<QueueEntry> entry = QueueEntry::parse(made.path.name());
            if (entry && entry->number == zk::LastSequence)
                m_zk.discard(made.path);
            if (usedUp || !entry || entry->number == zk::LastSequence)
                throw QueueFull(QStringLiteral("queue %1 has given out all its numbers; use another queue")
                                    .arg(QString::fromUtf8(spec.queue)));
            co_return entry->idIn(spec.queue);
        } catch (const zk::ConnectionLoss &) {
        }
        const std::optional<JobId> found = co_await findByKey(spec.queue, spec.key);
        if (found)
            co_return *found;
    }
}

async::Task<Submitter::Made> Submitter::make(zk::Path path, QByteArray data, bool forMaster)
{
    if (!forMaster) {
        const Answer<zk::Created> created = co_await m_zk.create(path, data, zk::CreateMode::PersistentSequential);
        co_return Made{created.code(), created->path};
    }
    zk::Transaction transaction;
    transaction.create(path, data, zk::CreateMode::PersistentSequential);
    tellMaster(transaction, m_layout, path.parent().name());
    const Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
    co_return Made{committed.code(), committed->results.front().path};
}

async::Task<void> Submitter::requireRoom(QByteArray queue)
{
    Room &room = m_rooms[queue];
    if (room.checkIn <= 0) {
        room.checkIn = RoomCheckInterval;
        co_await requireQueue(m_zk, m_layout, queue);
        const zk::Path path = m_layout.queue(queue);
        const auto look = [&] { return m_zk.exists(path); };
        const Answer<zk::Stat> stat = co_await persist(m_zk, look);
        room.free = m_config.queueLimit - stat->numChildren;
    }
    --room.checkIn;
    if (!room.free || --*room.free >= 0)
        co_return; // what is submitted while the first count is being read goes through
    room.checkIn = 0; // look again next time: room may have been made
    throw QueueFull(QStringLiteral("queue %1 holds %2 unfinished jobs, its limit; wait, or raise queue_limit in %3")
                        .arg(QString::fromUtf8(queue))
                        .arg(m_config.queueLimit)
                        .arg(m_layout.config().toString()));
}

async::Task<std::optional<JobId>> Submitter::findByKey(QByteArray queue, QString key)
{
    const zk::Path queuePath = m_layout.queue(queue);
    const auto sync = [&] { return m_zk.sync(queuePath); };
    const Answer<zk::Nothing> synced = co_await persist(m_zk, sync);
    // The queue first: a job moves from it to done/, never back.
    const std::array<zk::Path, 2> directories{queuePath, m_layout.done()};
    for (const zk::Path &directory : directories) {
        const auto list = [&] { return m_zk.children(directory); };
        const Answer<zk::Children> children = co_await persist(m_zk, list);
        std::vector<JobId> ids;
        std::vector<zk::Path> paths;
        for (const QByteArray &name : children->names) {
            const std::optional<QueueEntry> entry = QueueEntry::parse(name);
            const std::optional<JobId> id = entry ? entry->idIn(queue) : JobId::parse(QString::fromUtf8(name));
            if (!id || id->queue != queue)
                continue;
            ids.push_back(*id);
            paths.push_back(directory / name);
        }
        const std::optional<JobId> found = co_await findKey(m_zk, std::move(ids), std::move(paths), key);
        if (found)
            co_return found;
    }
    co_return std::nullopt;
}

} // namespace drover::jobs
