#include "workers/master/arrays/place_forecast.h"

#include "jobs/model/gang.h"

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using async::Duration;
using async::TimePoint;

namespace {

constexpr Duration Fresh = 5s;
constexpr Duration Gap = 1min; // after which the looks before say nothing

} // namespace

void PlaceForecast::note(std::vector<jobs::WorkerInfo> workers, const std::vector<jobs::StoredClaim> &claims,
                         TimePoint now)
{
    const bool isFirst = !m_latest || now - *m_latest > Gap;
    if (isFirst) {
        m_taken.clear();
        m_freed.clear();
        m_first = now;
    }
    QHash<jobs::JobId, Taken> taken;
    for (const jobs::StoredClaim &claim : claims) {
        if (!claim.claim.takesSlots())
            continue;
        const auto known = m_taken.constFind(claim.id);
        const bool isKnown = known != m_taken.constEnd() && known->worker == claim.claim.worker;
        const std::optional<TimePoint> since = isKnown ? known->since : isFirst ? std::nullopt : std::optional(now);
        taken.insert(claim.id, {claim.claim.worker, claim.claim.slotCount, since});
    }
    for (auto before = m_taken.constBegin(); before != m_taken.constEnd(); ++before) {
        const auto still = taken.constFind(before.key());
        if (still == taken.constEnd() || still->worker != before->worker)
            m_freed.push_back({before->worker, before->slotCount, now});
    }
    while (!m_freed.empty() && now - m_freed.front().at > Longest)
        m_freed.pop_front();
    m_workers = std::move(workers);
    m_taken = std::move(taken);
    m_latest = now;
}

bool PlaceForecast::isFresh(TimePoint now) const
{
    return m_latest && now - *m_latest < Fresh;
}

std::optional<std::chrono::milliseconds> PlaceForecast::patienceFor(const jobs::JobSpec &gang, TimePoint now) const
{
    if (jobs::placesFor(gang, m_workers, takenFor(0s, now)) >= gang.gang)
        return Shortest;
    for (std::chrono::minutes patience = Shortest; patience <= Longest; patience *= 2) {
        if (jobs::placesFor(gang, m_workers, takenFor(patience, now)) >= gang.gang)
            return patience;
    }
    return std::nullopt;
}

// The slots of each worker that are expected to be taken still when so much time has passed.
std::map<QString, int> PlaceForecast::takenFor(Duration time, TimePoint now) const
{
    std::map<QString, int> taken;
    std::map<QString, int> young;
    for (const Taken &job : m_taken) {
        taken[job.worker] += job.slotCount;
        young[job.worker] += job.since && now - *job.since <= time ? job.slotCount : 0;
    }
    if (time > Duration::zero()) {
        for (const auto &[worker, slotCount] : young)
            taken[worker] -= std::min(slotCount, freedWithin(time, worker, now));
    }
    return taken;
}

// As many as in the time that has passed, or in proportion if that is shorter.
int PlaceForecast::freedWithin(Duration time, const QString &worker, TimePoint now) const
{
    const Duration looked = now - m_first;
    int freed = 0;
    for (const Freed &slots : m_freed)
        freed += slots.worker == worker && now - slots.at <= time ? slots.slotCount : 0;
    if (looked <= Duration::zero() || looked >= time)
        return freed;
    return static_cast<int>(std::min(1e6, freed * (std::chrono::duration<double>(time) / looked)));
}

} // namespace drover::workers
