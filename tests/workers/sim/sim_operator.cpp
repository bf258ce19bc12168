#include "workers/sim/sim_operator.h"

#include "jobs/client/cancel_job.h"
#include "recipes/blocks/persistent.h"
#include "recipes/elections/leader_latch.h"

namespace drover::test {

using namespace std::chrono_literals;

SimOperator::SimOperator(SeededRandom &random, jobs::Layout layout, QByteArrayList queues,
                         const std::vector<jobs::JobId> &ids, std::function<void(const jobs::JobId &)> onMoved)
    : m_random(random), m_layout(std::move(layout)), m_queues(std::move(queues)), m_ids(ids),
      m_onMoved(std::move(onMoved))
{
}

async::Task<void> SimOperator::control(zk::Client &zk, int &rounds)
{
    co_await zk.connected();
    while (rounds > 0) {
        --rounds;
        co_await async::sleepFor(zk.loop(), std::chrono::milliseconds(m_random.below(1000)));
        if (m_random.chance(0.05)) {
            co_await deposeMaster(zk);
            continue;
        }
        const std::optional<jobs::JobId> id = co_await some(zk);
        if (!id)
            continue;
        try {
            co_await controlOne(zk, *id);
            ++m_changes.all;
            m_changes.ofTasks += id->isTask();
        } catch (const jobs::WrongState &) {
        } catch (const jobs::NotFound &) {
        }
    }
}

// Picks a submitted job, mostly one of the latest, since the others have ended. Or it picks a job that is in a queue
// now, mostly a task if there are tasks.
async::Task<std::optional<jobs::JobId>> SimOperator::some(zk::Client &zk)
{
    if (m_random.chance(0.3)) {
        if (m_ids.empty())
            co_return std::nullopt;
        const int back = m_random.below(m_random.below(static_cast<int>(m_ids.size())) + 1);
        co_return m_ids[m_ids.size() - 1 - static_cast<std::size_t>(back)];
    }
    const QByteArray queue = someQueue();
    const zk::Answer<zk::Children> entries = co_await recipes::Persistent(zk).children(m_layout.queue(queue));
    std::vector<jobs::JobId> jobs;
    std::vector<jobs::JobId> tasks;
    for (const QByteArray &name : entries->names) {
        if (const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name))
            (entry->task == jobs::JobId::NoTask ? jobs : tasks).push_back(entry->idIn(queue));
    }
    const std::vector<jobs::JobId> &those = jobs.empty() || (!tasks.empty() && m_random.chance(0.7)) ? tasks : jobs;
    if (those.empty())
        co_return std::nullopt;
    co_return those[static_cast<std::size_t>(m_random.below(static_cast<int>(those.size())))];
}

async::Task<void> SimOperator::controlOne(zk::Client &zk, jobs::JobId id)
{
    constexpr int Hold = 0;
    constexpr int Move = 4;
    const bool isOfMoves = m_mostlyMoves && m_random.chance(0.7);
    const int moves = isOfMoves && m_random.chance(0.3) ? Hold : Move;
    switch (isOfMoves ? moves : m_random.below(8)) {
    case Hold:
        co_await jobs::hold(jobs::Cluster(zk, m_layout), id, QStringLiteral("operator"));
        break;
    case 1:
        co_await jobs::release(jobs::Cluster(zk, m_layout), id);
        break;
    case 2:
        co_await jobs::setPriority(jobs::Cluster(zk, m_layout), id, m_random.below(10));
        break;
    case 3:
        co_await jobs::sendSignal(jobs::Cluster(zk, m_layout), id, 10);
        break;
    case Move: {
        const jobs::ClusterConfig defaults;
        const jobs::JobChange change =
            co_await jobs::moveToQueue(jobs::Cluster(zk, m_layout), id, someQueue(), defaults);
        m_onMoved(change.id);
        break;
    }
    case 5:
        co_await cancel(zk, id);
        break;
    default:
        co_await jobs::requeue(jobs::Cluster(zk, m_layout), id);
    }
}

// Also of an array some tasks whose turn has not come.
async::Task<void> SimOperator::cancel(zk::Client &zk, jobs::JobId id)
{
    const bool later = m_random.chance(0.3);
    const int first = 1 + m_random.below(12);
    if (later)
        co_await jobs::cancelUnexpandedTasks(jobs::Cluster(zk, m_layout), id.array(), first, first + 2);
    else
        co_await jobs::cancel(jobs::Cluster(zk, m_layout), id);
    m_changes.cancels += !later;
}

// As `drover master stepdown` does.
async::Task<void> SimOperator::deposeMaster(zk::Client &zk)
{
    recipes::LeaderLatch latch(zk, m_layout.master());
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    if (!leader)
        co_return;
    const zk::Answer<zk::Nothing> deposed = co_await recipes::Persistent(zk).remove(leader->fence.path);
    m_changes.stepdowns += deposed.ok();
}

async::Task<void> SimOperator::releaseAll(zk::Client &zk)
{
    co_await zk.connected();
    for (const QByteArray &queue : m_queues) { // also what a move has made whose reply was lost
        const zk::Path path = m_layout.queue(queue);
        const zk::Answer<zk::Children> entries = co_await recipes::Persistent(zk).afterSync(path).children(path);
        for (const QByteArray &name : entries->names) {
            const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
            // An array that has begun is held where it is.
            const bool mayBeHeld = entry
                && (entry->jobClass == jobs::QueueEntry::Class::Held
                    || entry->jobClass == jobs::QueueEntry::Class::Array);
            if (!mayBeHeld || m_released.contains(entry->idIn(queue)))
                continue;
            try {
                co_await jobs::release(jobs::Cluster(zk, m_layout), entry->idIn(queue));
            } catch (const jobs::WrongState &) {
            } catch (const jobs::NotFound &) {
            }
            m_released.insert(entry->idIn(queue));
        }
    }
}

} // namespace drover::test
