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

} // namespace

async::Task<TakenMemory> readTakenMemory(Cluster cluster, std::vector<StoredClaim> claims)
{
    std::erase_if(claims, [](const StoredClaim &claim) {
        return !claim.claim.takesSlots() || !QueueEntry::parse(claim.claim.entry);
    });
    std::vector<zk::Path> paths;
    for (const StoredClaim &claim : claims)
        paths.push_back(cluster.layout.job(claim.id.queue, *QueueEntry::parse(claim.claim.entry)));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    TakenMemory taken;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].ok())
            continue;
        const auto spec = tryDecode<JobSpec>(nodes[i]->data, claims[i].id.queue, QueueEntry::DefaultPriority);
        if (spec) // otherwise it is ended, and takes none
            taken[claims[i].claim.worker] += spec->needs.memory;
    }
    co_return taken;
}

std::vector<FreeRoom> freeRoom(const JobId &job, const WorkerPool::Chosen &workers,
                               const std::vector<StoredClaim> &claims, const TakenMemory &taken)
{
    std::vector<FreeRoom> rooms;
    for (const WorkerPool::Member *member : workers) {
        const WorkerInfo &info = member->info;
        const auto memory = taken.find(info.id);
        FreeRoom room{info.id, info.slotCount, info.memory - (memory == taken.end() ? 0 : memory->second)};
        for (const StoredClaim &claim : claims) {
            if (claim.claim.worker == info.id)
                take(room, claim, job);
        }
        rooms.push_back(std::move(room));
    }
    return rooms;
}

async::Task<bool> hasRoomElsewhere(Cluster cluster, JobId job, JobSpec spec, QString worker)
{
    const WorkerPool pool = co_await readWorkerPool(cluster);
    WorkerPool::Chosen others = pool.fitFor(spec);
    std::erase_if(others, [&](const WorkerPool::Member *member) { return member->info.id == worker; });
    if (others.empty())
        co_return false;
    const std::vector<StoredClaim> claims = co_await readClaims(cluster);
    TakenMemory taken;
    if (spec.needs.memory > 0)
        taken = co_await readTakenMemory(cluster, claims);
    const std::vector<FreeRoom> rooms = freeRoom(job, others, claims, taken);
    co_return std::ranges::any_of(rooms, [&](const FreeRoom &room) { return room.fits(spec.needs) && !room.first; });
}

} // namespace drover::jobs
