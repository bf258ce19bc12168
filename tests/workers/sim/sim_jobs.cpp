#include "jobs/model/gang.h"
#include "workers/sim/sim_cluster.h"

#include <algorithm>

namespace drover::test {

using namespace std::chrono_literals;

jobs::JobSpec SimCluster::spec(int number)
{
    jobs::JobSpec spec;
    spec.command.append(QStringLiteral("work"));
    spec.queue = m_queues[m_random.below(static_cast<int>(m_queues.size()))];
    if (has(variations::Dedupe) && number % 4 < 2) {
        spec.dedupe = QString::number(number / 4);
        spec.queue = m_queues.front();
    }
    spec.priority = !has(variations::Rush) ? m_random.below(3) : number < m_options.jobs * 2 / 3 ? 9 : 0;
    spec.maxAttempts = has(variations::FewAttempts) ? 2 : 1000;
    spec.key = QStringLiteral("%1-%2").arg(m_options.seed).arg(number);
    if (has(variations::Arrays) && number % 4 == 0)
        spec.array = jobs::ArrayIndices::parse(QStringLiteral("1-6,8,10-18:2%%1").arg(1 + m_random.below(5)));
    if (has(variations::Expanding))
        spec.array = jobs::ArrayIndices{1, 30, 1, 1 + m_random.below(3)};
    else if (has(variations::Gangs) && number % 4 == 2) {
        spec.gang = 2 + m_random.below(MostMembers - 1);
        spec.array = jobs::GangSize{spec.gang}.upTo(0);
    }
    if (has(variations::Appends) && number % 3 == 1 && !spec.array && spec.gang == 0) {
        spec.appendTo = m_storage->file();
        spec.environment[QStringLiteral("WRITES")] = QStringLiteral("1"); // its id; here the number says only that
    }
    if (has(variations::Waiting))
        makeItWait(spec);
    if (has(variations::Needs) && spec.gang == 0)
        makeItNeed(spec);
    else if (has(variations::Needs))
        makeMembersNeed(spec);
    return spec;
}

// Nothing that the workers never have for all of them at once.
void SimCluster::makeMembersNeed(jobs::JobSpec &spec)
{
    if (m_random.chance(0.6))
        spec.limits.append(QStringLiteral("api"));
    if (m_random.chance(0.3))
        spec.sharedLocks = {QStringLiteral("a"), QStringLiteral("other")};
}

// What the witness is to know is in the environment.
void SimCluster::makeItNeed(jobs::JobSpec &spec)
{
    spec.needs.slots = 1 + m_random.below(SlotsPerWorker);
    spec.environment[QStringLiteral("SLOTS")] = QString::number(spec.needs.slots);
    if (m_random.chance(0.3)) {
        spec.needs.labels.append(QStringLiteral("rare"));
        spec.environment[QStringLiteral("LABEL")] = QStringLiteral("rare");
    }
    if (m_random.chance(0.5)) {
        const QString lock = m_random.chance(0.5) ? QStringLiteral("a") : QStringLiteral("b");
        spec.locks = {lock, QStringLiteral("other")};
        spec.environment[QStringLiteral("LOCK")] = lock;
    }
    if (m_random.chance(0.3))
        spec.limits.append(QStringLiteral("api"));
}

void SimCluster::makeItWait(jobs::JobSpec &spec)
{
    spec.retry = {m_random.below(4), {}, 500ms, 2s};
    if (m_random.chance(has(variations::Moves) ? 0.9 : 0.4)) {
        spec.name = QStringLiteral("alone");
        spec.singleton = m_random.chance(0.7);
    }
    if (m_random.chance(0.3))
        spec.notes.notBefore = m_world.wallClock() + std::chrono::duration_cast<std::chrono::milliseconds>(some(5s));
    if (!m_ids.empty() && m_random.chance(0.5)) {
        const auto kind = static_cast<jobs::Dependency::Kind>(m_random.below(4));
        spec.after.push_back({kind, m_ids[static_cast<std::size_t>(m_random.below(static_cast<int>(m_ids.size())))]});
    }
}

async::Task<std::optional<jobs::JobId>> SimCluster::submit(jobs::Submitter &submitter, jobs::JobSpec job)
{
    m_invariants.submitted(job.key);
    std::optional<jobs::JobId> id;
    try {
        id = co_await submitter.submit(job);
    } catch (const jobs::IdUnknown &) {
        co_return std::nullopt; // its submitter's session has ended, or it was deleted by hand
    }
    m_invariants.acknowledged(*id, job);
    m_counts[variations::Deduped] += !job.dedupe.isEmpty() && std::count(m_ids.begin(), m_ids.end(), *id) > 0;
    m_ids.push_back(*id);
    co_return id;
}

} // namespace drover::test
