#include "jobs/explain/why_room.h"

#include "jobs/cluster/read_nodes.h"
#include "text/quantity.h"

#include <algorithm>
#include <map>

namespace drover::jobs {

using zk::Answer;

namespace {

// What a worker has, and who has it.
struct Room {
    QString worker;
    int slotCount = 0;
    qint64 memory = 0;
    int freeSlots = 0;
    qint64 freeMemory = 0;
    std::optional<StoredClaim> first{}; // waits there for room: it gets what becomes free
    std::map<JobId, int> gangs{}; // slots that are kept for members of gangs which assemble
};

// "2 free slots", as a worker says it in the claim of who waits for room.
bool waitsForRoom(const Claim &claim)
{
    return claim.waits.contains(u"free slot");
}

void take(Room &room, const StoredClaim &claim, const JobId &job)
{
    if (waitsForRoom(claim.claim) && !room.first)
        room.first = claim;
    if (!claim.claim.takesSlots())
        return;
    room.freeSlots = std::max(0, room.freeSlots - claim.claim.slotCount);
    const bool isKept = !claim.claim.waits.isEmpty() && claim.id.array() != job.array();
    if (isKept)
        room.gangs[claim.id.array()] += claim.claim.slotCount;
}

// The memory that jobs have asked for is in their specs alone.
async::Task<std::map<QString, qint64>> memoryTaken(Cluster cluster, std::vector<StoredClaim> claims)
{
    std::erase_if(claims, [](const StoredClaim &claim) {
        return !claim.claim.takesSlots() || !QueueEntry::parse(claim.claim.entry);
    });
    std::vector<zk::Path> paths;
    for (const StoredClaim &claim : claims)
        paths.push_back(cluster.layout.job(claim.id.queue, *QueueEntry::parse(claim.claim.entry)));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    std::map<QString, qint64> taken;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].ok())
            continue;
        try {
            const JobSpec spec = JobSpec::decode(nodes[i]->data, claims[i].id.queue, QueueEntry::DefaultPriority);
            taken[claims[i].claim.worker] += spec.needs.memory;
        } catch (const Malformed &) {
            // It is ended, and takes none.
        }
    }
    co_return taken;
}

std::vector<Reason> aboutGangs(const std::vector<Room> &rooms, int slotCount)
{
    std::map<JobId, int> kept;
    for (const Room &room : rooms) {
        for (const auto &[gang, count] : room.gangs)
            kept[gang] += count;
    }
    std::vector<Reason> reasons;
    for (const auto &[gang, count] : kept)
        reasons.push_back({QStringLiteral("%1 of the %2 of the workers that could run it %3 kept for gang %4, which "
                                          "assembles")
                               .arg(count)
                               .arg(text::formatCount(slotCount, "slot", "slots"),
                                    count == 1 ? QStringLiteral("is") : QStringLiteral("are"), gang.toString()),
                           QStringLiteral("drover why %1").arg(gang.toString())});
    return reasons;
}

std::vector<Reason> aboutThoseBefore(const std::vector<Room> &rooms)
{
    std::vector<Reason> reasons;
    for (const Room &room : rooms) {
        if (room.first)
            reasons.push_back({QStringLiteral("free room on worker %1 is kept for %2, which waits there for %3")
                                   .arg(room.worker, room.first->id.toString(), room.first->claim.waits)});
    }
    return reasons;
}

std::optional<Reason> aboutSize(const std::vector<Room> &rooms, const Needs &needs, int slotCount)
{
    const auto bySlots = [](const Room &a, const Room &b) { return a.freeSlots < b.freeSlots; };
    const auto byMemory = [](const Room &a, const Room &b) { return a.freeMemory < b.freeMemory; };
    const Room &mostSlots = *std::max_element(rooms.begin(), rooms.end(), bySlots);
    const Room &mostMemory = *std::max_element(rooms.begin(), rooms.end(), byMemory);
    if (mostSlots.freeSlots == 0)
        return Reason{QStringLiteral("it needs %1, and all %2 of the workers that could run it are taken")
                          .arg(text::formatCount(needs.slots, "free slot", "free slots"))
                          .arg(slotCount)};
    if (mostSlots.freeSlots < needs.slots)
        return Reason{QStringLiteral("it needs %1 of one worker, and the most that one has is %2 (%3)")
                          .arg(text::formatCount(needs.slots, "free slot", "free slots"))
                          .arg(mostSlots.freeSlots)
                          .arg(mostSlots.worker)};
    if (mostMemory.freeMemory < needs.memory)
        return Reason{
            QStringLiteral("it needs %1 of memory, and the most that a worker has free is %2 (%3)")
                .arg(text::formatSize(needs.memory), text::formatSize(mostMemory.freeMemory), mostMemory.worker)};
    return std::nullopt;
}

} // namespace

async::Task<std::vector<Reason>> whyNoRoom(Cluster cluster, JobId job, Needs needs,
                                           std::vector<const WorkerPool::Member *> workers,
                                           std::vector<StoredClaim> claims)
{
    std::map<QString, qint64> memory;
    if (needs.memory > 0)
        memory = co_await memoryTaken(cluster, claims);
    std::vector<Room> rooms;
    int slotCount = 0;
    bool hasRoom = false;
    for (const WorkerPool::Member *member : workers) {
        const WorkerInfo &info = member->info;
        Room room{info.id, info.slotCount, info.memory, info.slotCount, info.memory - memory[info.id]};
        for (const StoredClaim &claim : claims) {
            if (claim.claim.worker == info.id)
                take(room, claim, job);
        }
        slotCount += info.slotCount;
        const bool fits = room.freeSlots >= needs.slots && room.freeMemory >= needs.memory;
        hasRoom = hasRoom || (fits && !room.first);
        rooms.push_back(std::move(room));
    }
    if (hasRoom)
        co_return std::vector<Reason>();
    std::vector<Reason> reasons = aboutGangs(rooms, slotCount);
    const std::vector<Reason> before = aboutThoseBefore(rooms);
    reasons.insert(reasons.end(), before.begin(), before.end());
    if (const std::optional<Reason> size = aboutSize(rooms, needs, slotCount))
        reasons.push_back(*size);
    if (reasons.empty())
        reasons.push_back({QStringLiteral("no worker has both its slots and its memory free now")});
    co_return reasons;
}

async::Task<bool> hasRoomElsewhere(Cluster cluster, JobId job, JobSpec spec, QString worker)
{
    const WorkerPool pool = co_await readWorkerPool(cluster);
    std::vector<const WorkerPool::Member *> others = pool.fitFor(spec);
    std::erase_if(others, [&](const WorkerPool::Member *member) { return member->info.id == worker; });
    if (others.empty())
        co_return false;
    const std::vector<StoredClaim> claims = co_await readClaims(cluster);
    const std::vector<Reason> noRoom = co_await whyNoRoom(cluster, job, spec.needs, std::move(others), claims);
    co_return noRoom.empty();
}

} // namespace drover::jobs
