#include "jobs/cluster/free_room.h"

#include "jobs/cluster/read_nodes.h"

#include <algorithm>

namespace drover::jobs {

using zk::Answer;

namespace {

// "2 free slots", as a worker says it in the claim of who waits for room.
bool waitsForRoom(const Claim &claim)
{
    return claim.waits.contains(u"free slot");
}

void take(FreeRoom &room, const StoredClaim &claim, const JobId &job)
{
    if (waitsForRoom(claim.claim) && !room.first)
        room.first = claim;
    if (!claim.claim.takesSlots())
        return;
    room.slotCount = std::max(0, room.slotCount - claim.claim.slotCount);
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
        const auto spec = tryDecode<JobSpec>(nodes[i]->data, claims[i].id.queue, QueueEntry::DefaultPriority);
        if (spec) // otherwise it is ended, and takes none
            taken[claims[i].claim.worker] += spec->needs.memory;
    }
    co_return taken;
}

} // namespace

async::Task<std::vector<FreeRoom>> freeRoom(Cluster cluster, JobId job, Needs needs, WorkerPool::Chosen workers,
                                            std::vector<StoredClaim> claims)
{
    std::map<QString, qint64> memory;
    if (needs.memory > 0)
        memory = co_await memoryTaken(cluster, claims);
    std::vector<FreeRoom> rooms;
    for (const WorkerPool::Member *member : workers) {
        const WorkerInfo &info = member->info;
        FreeRoom room{info.id, info.slotCount, info.memory - memory[info.id]};
        for (const StoredClaim &claim : claims) {
            if (claim.claim.worker == info.id)
                take(room, claim, job);
        }
        rooms.push_back(std::move(room));
    }
    co_return rooms;
}

async::Task<bool> hasRoomElsewhere(Cluster cluster, JobId job, JobSpec spec, QString worker)
{
    const WorkerPool pool = co_await readWorkerPool(cluster);
    WorkerPool::Chosen others = pool.fitFor(spec);
    std::erase_if(others, [&](const WorkerPool::Member *member) { return member->info.id == worker; });
    if (others.empty())
        co_return false;
    std::vector<StoredClaim> claims = co_await readClaims(cluster);
    const std::vector<FreeRoom> rooms =
        co_await freeRoom(cluster, job, spec.needs, std::move(others), std::move(claims));
    co_return std::any_of(rooms.begin(), rooms.end(),
                          [&](const FreeRoom &room) { return room.fits(spec.needs) && !room.first; });
}

} // namespace drover::jobs
