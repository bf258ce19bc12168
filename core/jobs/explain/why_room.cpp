#include "jobs/explain/reasons.h"
#include "text/quantity.h"

#include <algorithm>

namespace drover::jobs {

namespace {

std::vector<Reason> aboutGangs(const std::vector<FreeRoom> &rooms, int slotCount)
{
    std::map<JobId, int> kept;
    for (const FreeRoom &room : rooms) {
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

std::vector<Reason> aboutThoseBefore(const std::vector<FreeRoom> &rooms)
{
    std::vector<Reason> reasons;
    for (const FreeRoom &room : rooms) {
        if (room.first)
            reasons.push_back({QStringLiteral("free room on worker %1 is kept for %2, which waits there for %3")
                                   .arg(room.worker, room.first->id.toString(), room.first->claim.waits)});
    }
    return reasons;
}

std::optional<Reason> aboutSize(const std::vector<FreeRoom> &rooms, const Needs &needs, int slotCount)
{
    const auto bySlots = [](const FreeRoom &a, const FreeRoom &b) { return a.slotCount < b.slotCount; };
    const auto byMemory = [](const FreeRoom &a, const FreeRoom &b) { return a.memory < b.memory; };
    const FreeRoom &mostSlots = *std::max_element(rooms.begin(), rooms.end(), bySlots);
    const FreeRoom &mostMemory = *std::max_element(rooms.begin(), rooms.end(), byMemory);
    if (mostSlots.slotCount == 0)
        return Reason{QStringLiteral("it needs %1, and all %2 of the workers that could run it are taken")
                          .arg(text::formatCount(needs.slots, "free slot", "free slots"))
                          .arg(slotCount)};
    if (mostSlots.slotCount < needs.slots)
        return Reason{QStringLiteral("it needs %1 of one worker, and the most that one has is %2 (%3)")
                          .arg(text::formatCount(needs.slots, "free slot", "free slots"))
                          .arg(mostSlots.slotCount)
                          .arg(mostSlots.worker)};
    if (mostMemory.memory < needs.memory)
        return Reason{QStringLiteral("it needs %1 of memory, and the most that a worker has free is %2 (%3)")
                          .arg(text::formatSize(needs.memory), text::formatSize(mostMemory.memory), mostMemory.worker)};
    return std::nullopt;
}

} // namespace

std::vector<Reason> whyNoRoom(const JobId &job, const Needs &needs, const WorkerPool::Chosen &workers,
                              const std::vector<StoredClaim> &claims, const TakenMemory &taken)
{
    int slotCount = 0;
    for (const WorkerPool::Member *member : workers)
        slotCount += member->info.slotCount;
    const std::vector<FreeRoom> rooms = freeRoom(job, workers, claims, taken);
    if (std::any_of(rooms.begin(), rooms.end(), [&](const FreeRoom &room) { return room.fits(needs) && !room.first; }))
        return {};
    std::vector<Reason> reasons = aboutGangs(rooms, slotCount);
    const std::vector<Reason> before = aboutThoseBefore(rooms);
    reasons.insert(reasons.end(), before.begin(), before.end());
    if (const std::optional<Reason> size = aboutSize(rooms, needs, slotCount))
        reasons.push_back(*size);
    if (reasons.empty())
        reasons.push_back({QStringLiteral("no worker has both its slots and its memory free now")});
    return reasons;
}

} // namespace drover::jobs
