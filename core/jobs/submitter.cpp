#include "jobs/submitter.h"

#include "jobs/dedupe.h"
#include "jobs/find_key.h"
#include "jobs/move.h"
#include "recipes/persist.h"

#include <QUuid>

namespace drover::jobs {

using recipes::persist;
using zk::Answer;
using zk::Code;

namespace {

constexpr int RoomCheckInterval = 256;

} // namespace

async::Task<JobId> Submitter::submit(JobSpec spec)
{
    if (spec.key.isEmpty())
        spec.key = QUuid::createUuid().toString(QUuid::Id128);
    const QByteArray data = spec.encode();
    if (!spec.dedupe.isEmpty())
        co_return co_await submitOnce(spec, data);
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
            co_return requireNumber(made, spec.queue);
        } catch (const zk::ConnectionLoss &) {
        }
        const std::optional<JobId> found = co_await findByKey(m_zk, m_layout, spec.queue, spec.key);
        if (found)
            co_return *found;
    }
}

JobId Submitter::requireNumber(const Made &made, const QByteArray &queue)
{
    const bool usedUp = made.code == Code::NodeExists; // the last number, a second time
    const std::optional<QueueEntry> entry = QueueEntry::parse(made.path.name());
    if (entry && entry->number == zk::LastSequence)
        m_zk.discard(made.path);
    if (usedUp || !entry || entry->number == zk::LastSequence)
        throw numbersUsedUp(queue);
    return entry->idIn(queue);
}

async::Task<JobId> Submitter::submitOnce(JobSpec spec, QByteArray data)
{
    const QueueEntry::Class jobClass = spec.entryClass();
    const zk::Path path = m_layout.queue(spec.queue) / QueueEntry::prefix(jobClass, spec.priority);
    const zk::Path mark = m_layout.dedupe(spec.queue, spec.dedupe);
    const QByteArray marked = DedupeMark{spec.key, std::nullopt}.encode();
    for (;;) {
        const Deduped found = co_await findDeduped(m_zk, m_layout, spec.queue, spec.dedupe);
        if (found.job)
            co_return *found.job;
        if (found.key == spec.key)
            throw WrongState(QStringLiteral("the job was submitted, but it has ended and its record has been removed "
                                            "before its id was known; drover history may tell"));
        co_await requireRoom(spec.queue);
        zk::Transaction transaction;
        transaction.create(path, data, zk::CreateMode::PersistentSequential);
        if (found.marked)
            transaction.set(mark, marked, found.version);
        else
            transaction.create(mark, marked);
        if (isMasters(jobClass))
            tellMaster(transaction, m_layout, spec.queue);
        try {
            const Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
            if (committed.ok() || (committed->failedAt() == 0 && committed.is(Code::NodeExists))) {
                const JobId id = requireNumber({committed.code(), committed->results.front().path}, spec.queue);
                co_await noteId(mark, spec.key, id, found.marked ? found.version + 1 : 0);
                co_return id;
            }
            if (committed.is(Code::NoNode)) {
                co_await requireQueue(m_zk, m_layout, spec.queue);
                co_await m_zk.ensurePath(m_layout.waiting(spec.queue));
                co_await m_zk.ensurePath(mark.parent());
            }
            continue;
        } catch (const zk::ConnectionLoss &) {
        }
        const auto sync = [&] { return m_zk.sync(mark); };
        co_await persist(m_zk, sync);
    }
}

// The job is submitted, whatever becomes of this.
async::Task<void> Submitter::noteId(zk::Path mark, QString key, JobId id, qint32 version)
{
    const QByteArray noted = DedupeMark{key, id}.encode();
    try {
        co_await m_zk.set(mark, noted, version);
    } catch (const zk::Error &) {
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

QueueFull numbersUsedUp(const QByteArray &queue)
{
    return QueueFull(
        QStringLiteral("queue %1 has given out all its numbers; use another queue").arg(QString::fromUtf8(queue)));
}

} // namespace drover::jobs
