#include "workers/sim_operator.h"

namespace drover::test {

using namespace std::chrono_literals;

SimOperator::SimOperator(SeededRandom &random, jobs::Layout layout, QByteArrayList queues,
                         const std::vector<jobs::JobId> &ids, std::function<void(const jobs::JobId &)> onMoved)
    : m_random(random), m_layout(std::move(layout)), m_queues(std::move(queues)), m_ids(ids),
      m_onMoved(std::move(onMoved))
{
}

async::Task<void> SimOperator::control(zk::Coordinator &zk, int &rounds)
{
    co_await zk.connected();
    while (rounds > 0) {
        --rounds;
        co_await async::sleepFor(zk.loop(), std::chrono::milliseconds(m_random.below(1000)));
        if (m_ids.empty())
            continue;
        // Mostly one of the latest: the others have ended.
        const int back = m_random.below(m_random.below(static_cast<int>(m_ids.size())) + 1);
        const jobs::JobId id = m_ids[m_ids.size() - 1 - static_cast<std::size_t>(back)];
        try {
            co_await controlOne(zk, id);
            ++m_changes;
        } catch (const jobs::WrongState &) {
        } catch (const jobs::NotFound &) {
        }
    }
}

async::Task<void> SimOperator::controlOne(zk::Coordinator &zk, jobs::JobId id)
{
    switch (m_random.below(6)) {
    case 0:
        co_await jobs::hold(zk, m_layout, id, QStringLiteral("operator"));
        break;
    case 1:
        co_await jobs::release(zk, m_layout, id);
        break;
    case 2:
        co_await jobs::setPriority(zk, m_layout, id, m_random.below(10));
        break;
    case 3:
        co_await jobs::sendSignal(zk, m_layout, id, 10);
        break;
    case 4: {
        const jobs::ClusterConfig defaults;
        const QByteArray queue = m_queues[m_random.below(static_cast<int>(m_queues.size()))];
        const jobs::Change change = co_await jobs::moveToQueue(zk, m_layout, id, queue, defaults);
        m_onMoved(change.id);
        break;
    }
    default:
        co_await jobs::requeue(zk, m_layout, id);
    }
}

async::Task<void> SimOperator::releaseAll(zk::Coordinator &zk)
{
    co_await zk.connected();
    for (const QByteArray &queue : m_queues) { // also what a move has made whose reply was lost
        const zk::Answer<zk::Children> entries = co_await zk.children(m_layout.queue(queue));
        for (const QByteArray &name : entries->names) {
            const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
            // An array that has begun is held where it is.
            const bool mayBeHeld = entry
                && (entry->jobClass == jobs::QueueEntry::Class::Held
                    || entry->jobClass == jobs::QueueEntry::Class::Array);
            if (!mayBeHeld || m_released.contains(entry->idIn(queue)))
                continue;
            try {
                co_await jobs::release(zk, m_layout, entry->idIn(queue));
            } catch (const jobs::WrongState &) {
            } catch (const jobs::NotFound &) {
            }
            m_released.insert(entry->idIn(queue));
        }
    }
}

} // namespace drover::test
