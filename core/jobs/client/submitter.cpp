#include "jobs/client/submitter.h"

#include "recipes/blocks/persistent.h"

#include <QDateTime>
#include <QUuid>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;
using zk::Code;

namespace {

constexpr int CountInterval = 256; // jobs
constexpr std::chrono::milliseconds RoomPause{500}; // between looks at a full queue

} // namespace

IdUnknown::IdUnknown(QByteArray inQueue, QString ofKey, qint32 leastNumber)
    : WrongState(
        QStringLiteral(
            "the job was submitted to queue %1, once; its id is unknown: the reply was lost, and then the job was "
            "not found, because its record has been removed, a job there may not be read, or ZooKeeper was lost "
            "again; drover ls --all and drover history may show it")
            .arg(QString::fromUtf8(inQueue))),
      queue(std::move(inQueue)), key(std::move(ofKey)), from(leastNumber)
{
}

// While this lives, a queue's jobs are being counted, and no other submit takes room in the queue. It ends after its
// owner has sent its own requests.
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

async::Task<JobId> Submitter::submit(JobSpec job)
{
    if (job.key.isEmpty())
        job.key = QUuid::createUuid().toString(QUuid::Id128);
    if (m_signing && !job.notes.heldBy.isEmpty())
        job.notes.heldBy = actorName(m_cluster);
    NewJobPtr made;
    if (m_signing)
        made = co_await m_signing->sign(std::move(job));
    else
        made = std::make_shared<const NewJob>(NewJob{job, job.encode()});
    JobId id;
    if (made->spec.dedupe.isEmpty())
        id = co_await submitAlways(made);
    else
        id = co_await submitOnce(made);
    co_await countInTime(made->spec.queue);
    co_return id;
}

async::Task<JobId> Submitter::submitAlways(NewJobPtr job)
{
    const JobSpec &spec = job->spec;
    co_await takeRoom(spec.queue);
    for (;;) {
        const qint32 from = roomOf(spec.queue)->from;
        const Made made = co_await m_creator.create(job, from);
        if (made.code != Code::NoNode)
            co_return requireNumber(made, spec, from);
        co_await requireNodes(spec.queue, zk::Path());
    }
}

async::Task<JobId> Submitter::submitOnce(NewJobPtr job)
{
    const JobSpec &spec = job->spec;
    const zk::Path mark = m_cluster.layout.dedupe(spec.queue, spec.dedupe);
    const QByteArray marked = DedupeMark{spec.key, std::nullopt}.encode();
    for (;;) {
        const Deduped found = co_await findDeduped(spec.queue, spec.dedupe);
        if (found.job) {
            ++m_foundEarlier;
            co_return *found.job;
        }
        co_await takeRoom(spec.queue);
        zk::Transaction with;
        if (found.marked)
            with.set(mark, marked, found.version);
        else
            with.create(mark, marked);
        const qint32 from = roomOf(spec.queue)->from;
        const Made made = co_await m_creator.create(job, from, with);
        if (made.code == Code::Ok || (made.code == Code::NodeExists && !made.refusedWith)) {
            const JobId id = requireNumber(made, spec, from);
            const qint32 version = found.marked ? found.version + 1 : 0;
            co_await noteId(mark, spec.key, id, version);
            co_return id;
        }
        if (made.code == Code::NoNode)
            co_await requireNodes(spec.queue, mark);
        // Without a sync: our server, or the next, has carried out what refused us.
    }
}

JobId Submitter::requireNumber(const Made &made, const JobSpec &spec, qint32 from)
{
    if (made.code == Code::Ok && made.path.isRoot())
        throw IdUnknown(spec.queue, spec.key, from);
    const bool usedUp = made.code == Code::NodeExists; // the last number, a second time
    const std::optional<QueueEntry> entry = QueueEntry::parse(made.path.name());
    if (entry && entry->number == zk::LastSequence)
        m_cluster.zk.discard(made.path);
    if (usedUp || !entry || entry->number == zk::LastSequence)
        throw numbersUsedUp(spec.queue);
    qint32 &next = roomOf(spec.queue)->from;
    next = std::max(next, entry->number + 1);
    return entry->idIn(spec.queue);
}

// A node that a submit needs was missing. Throws NotFound if another client has removed the queue.
async::Task<void> Submitter::requireNodes(QByteArray queue, zk::Path mark)
{
    roomOf(queue)->from = 0; // one that is made anew begins anew
    co_await requireQueue(m_cluster, queue);
    co_await m_cluster.zk.ensurePath(m_cluster.layout.waiting(queue));
    if (!mark.isRoot())
        co_await m_cluster.zk.ensurePath(mark.parent());
}

// What the job's dedupe key stands for now.
async::Task<Deduped> Submitter::findDeduped(QByteArray queue, QString dedupe)
{
    const Answer<zk::Node> node = co_await Persistent(m_cluster.zk).get(m_cluster.layout.dedupe(queue, dedupe));
    Deduped found;
    if (!node.ok())
        co_return found;
    found.marked = true;
    found.version = node->stat.version;
    const std::optional<DedupeMark> mark = tryDecode<DedupeMark>(node->data);
    if (!mark)
        co_return found; // stale: it may be replaced
    const std::optional<JobId> job = co_await findMarked(queue, *mark);
    found.job = job;
    co_return found;
}

async::Task<std::optional<JobId>> Submitter::findMarked(QByteArray queue, DedupeMark mark)
{
    if (mark.id) {
        const bool there = co_await isThere(m_cluster, *mark.id, mark.key);
        co_return there ? mark.id : std::nullopt;
    }
    KeySearch::Keys keys;
    keys.insert(mark.key, 0);
    const std::optional<KeySearch::Found> found = co_await m_creator.search().find(queue, keys, 0);
    co_return found ? std::optional<JobId>(found->id) : std::nullopt;
}

// The job is submitted, whatever becomes of this.
async::Task<void> Submitter::noteId(zk::Path mark, QString key, JobId id, qint32 version)
{
    const QByteArray noted = DedupeMark{key, id}.encode();
    try {
        co_await m_cluster.zk.set(mark, noted, version);
    } catch (const zk::Error &) {
    }
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
        const Counting counting(m_cluster.zk.loop(), room);
        co_await countUntilFree(room, queue);
        break; // the others wait until this one has taken
    }
    if (room->free <= 0)
        throw QueueFull(queue, m_config.queueLimit);
    --room->free;
    ++room->taken;
}

// Once, if submits must not wait.
async::Task<void> Submitter::countUntilFree(std::shared_ptr<Room> room, QByteArray queue)
{
    co_await count(room, queue);
    if (m_waits && room->free <= 0)
        m_onFull(queue, m_config.queueLimit);
    while (m_waits && room->free <= 0) {
        co_await async::sleepFor(m_cluster.zk.loop(), RoomPause);
        const ClusterConfig config = co_await readClusterConfig(m_cluster);
        m_config = config;
        co_await count(room, queue);
    }
}

// A queue that is missing has room: creating the job says that it is missing.
async::Task<void> Submitter::count(std::shared_ptr<Room> room, QByteArray queue)
{
    const zk::Path path = m_cluster.layout.queue(queue);
    for (;;) {
        const qint64 before = room->taken - m_creator.unsent(queue); // what was sent before the count is in it
        try {
            const Answer<zk::Stat> stat = co_await m_cluster.zk.exists(path);
            const qint64 present = stat.ok() ? stat->numChildren : 0;
            room->free = m_config.queueLimit - present - (room->taken - before);
            const qint64 submitted = stat.ok() ? std::clamp<qint64>(submittedTo(*stat), 0, zk::LastSequence) : 0;
            room->from = std::max(room->from, static_cast<qint32>(submitted));
            ++room->counts;
            co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await m_cluster.zk.connected();
    }
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

void noteSubmit(JobSpec &spec)
{
    spec.submitter = submitterName();
    spec.submittedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
}

} // namespace drover::jobs
