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

constexpr int CountInterval = 256; // jobs
constexpr std::chrono::milliseconds RoomPause{500}; // between looks at a full queue

} // namespace

// While a queue's jobs are being counted nobody takes room in it. Ends behind what its owner sends at once with what it
// has counted.
class Submitter::Counting
{
public:
    Counting(async::Loop &loop, std::shared_ptr<Room> room) : m_loop(loop), m_room(std::move(room))
    {
        m_room->counting = true;
    }
    Counting(const Counting &) = delete;
    Counting &operator=(const Counting &) = delete;
    ~Counting()
    {
        m_loop.post([room = m_room] {
            room->counting = false;
            room->counted.notify();
        });
    }

private:
    async::Loop &m_loop;
    std::shared_ptr<Room> m_room;
};

async::Task<JobId> Submitter::submit(JobSpec spec)
{
    if (spec.key.isEmpty())
        spec.key = QUuid::createUuid().toString(QUuid::Id128);
    const QByteArray data = spec.encode();
    JobId id;
    if (spec.dedupe.isEmpty())
        id = co_await submitAlways(spec, data);
    else
        id = co_await submitOnce(spec, data);
    co_await countInTime(spec.queue);
    co_return id;
}

async::Task<JobId> Submitter::submitAlways(JobSpec spec, QByteArray data)
{
    co_await takeRoom(spec.queue);
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
        co_await takeRoom(spec.queue);
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
                const qint32 version = found.marked ? found.version + 1 : 0;
                co_await noteId(mark, spec.key, id, version);
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

std::shared_ptr<Submitter::Room> Submitter::roomOf(const QByteArray &queue)
{
    std::shared_ptr<Room> &room = m_rooms[queue];
    if (!room)
        room = std::make_shared<Room>();
    return room;
}

// Those who wait go on in the order in which they came.
async::Task<void> Submitter::takeRoom(QByteArray queue)
{
    const std::shared_ptr<Room> room = roomOf(queue);
    const int counts = room->counts;
    while ((m_waits || room->counts == counts) && (room->counting || room->free <= 0)) {
        if (room->counting) {
            co_await room->counted.wait();
            continue;
        }
        const Counting counting(m_zk.loop(), room);
        co_await countUntilFree(room, queue);
        break; // the others wait until this one has taken
    }
    if (room->free <= 0)
        throw QueueFull(queue, m_config.queueLimit);
    --room->free;
    ++room->taken;
}

// Once, if nobody is to wait.
async::Task<void> Submitter::countUntilFree(std::shared_ptr<Room> room, QByteArray queue)
{
    co_await count(room, queue);
    if (m_waits && room->free <= 0)
        m_onFull(queue, m_config.queueLimit);
    while (m_waits && room->free <= 0) {
        co_await async::sleepFor(m_zk.loop(), RoomPause);
        const ClusterConfig config = co_await openCluster(m_zk, m_layout);
        m_config = config;
        co_await count(room, queue);
    }
}

// A queue that is missing has room: creating the job says that it is missing.
async::Task<void> Submitter::count(std::shared_ptr<Room> room, QByteArray queue)
{
    const zk::Path path = m_layout.queue(queue);
    qint64 before = 0;
    const auto look = [&] {
        before = room->taken; // what was taken before is carried out before the count, and so is in it
        return m_zk.exists(path);
    };
    const Answer<zk::Stat> stat = co_await persist(m_zk, look);
    const qint64 present = stat.ok() ? stat->numChildren : 0;
    room->free = m_config.queueLimit - present - (room->taken - before);
    ++room->counts;
}

// Behind a job that is submitted, whatever becomes of this: the others go on meanwhile.
async::Task<void> Submitter::countInTime(QByteArray queue)
{
    const std::shared_ptr<Room> room = roomOf(queue);
    if (++room->submitted % CountInterval != 0)
        co_return;
    try {
        co_await count(room, queue);
    } catch (const zk::Error &) {
    }
}

QueueFull numbersUsedUp(const QByteArray &queue)
{
    return QueueFull(
        QStringLiteral("queue %1 has given out all its numbers; use another queue").arg(QString::fromUtf8(queue)));
}

} // namespace drover::jobs
