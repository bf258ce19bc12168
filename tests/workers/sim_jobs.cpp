#include "jobs/gang.h"
#include "workers/sim_cluster.h"

namespace drover::test {

using namespace std::chrono_literals;

jobs::JobSpec SimCluster::spec(int number)
{
    jobs::JobSpec spec;
    spec.command.append(QStringLiteral("work"));
    spec.queue = m_queues[m_random.below(static_cast<int>(m_queues.size()))];
    if (m_options.dedupe && number % 4 < 2) {
        spec.dedupe = QString::number(number / 4);
        spec.queue = m_queues.front();
    }
    spec.priority = !m_options.rush ? m_random.below(3) : number < m_options.jobs * 2 / 3 ? 9 : 0;
    spec.maxAttempts = m_options.fewAttempts ? 2 : 1000;
    spec.key = QStringLiteral("%1-%2").arg(m_options.seed).arg(number);
    if (m_options.arrays && number % 4 == 0)
        spec.array = jobs::ArrayIndices::parse(QStringLiteral("1-6,8,10-18:2%%1").arg(1 + m_random.below(5)));
    if (m_options.unfolding)
        spec.array = jobs::ArrayIndices{1, 30, 1, 1 + m_random.below(3)};
    else if (m_options.gangs && number % 4 == 2) {
        spec.gang = 2 + m_random.below(MostMembers - 1);
        spec.array = jobs::GangSize{spec.gang}.upTo(0);
    }
    if (m_options.waiting)
        makeItWait(spec);
    if (m_options.needs && spec.gang == 0)
        makeItNeed(spec);
    else if (m_options.needs)
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
    if (m_random.chance(0.4)) {
        spec.name = QStringLiteral("alone");
        spec.singleton = m_random.chance(0.7);
    }
    if (m_random.chance(0.3))
        spec.notBefore = m_world.wallClock() + std::chrono::duration_cast<std::chrono::milliseconds>(some(5s));
    if (!m_ids.empty() && m_random.chance(0.5)) {
        const auto kind = static_cast<jobs::Dependency::Kind>(m_random.below(4));
        spec.after.push_back({kind, m_ids[static_cast<std::size_t>(m_random.below(static_cast<int>(m_ids.size())))]});
    }
}

} // namespace drover::test
