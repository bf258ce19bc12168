#pragma once

#include "jobs/control.h"
#include "support/seeded_random.h"

#include <QSet>

#include <functional>

namespace drover::test {

// Somebody who holds, releases, requeues, signals and moves jobs at random, and in the end releases all.
class SimOperator
{
public:
    // `ids` are the jobs there are, `onMoved` is told of those that a move has made.
    SimOperator(SeededRandom &random, jobs::Layout layout, QByteArrayList queues, const std::vector<jobs::JobId> &ids,
                std::function<void(const jobs::JobId &)> onMoved);

    // Both throw SessionLost; call again with another session.
    async::Task<void> control(zk::Coordinator &zk, int &rounds); // down to 0
    async::Task<void> releaseAll(zk::Coordinator &zk);

    int changes() const { return m_changes; }

private:
    async::Task<void> controlOne(zk::Coordinator &zk, jobs::JobId id);

    SeededRandom &m_random;
    jobs::Layout m_layout;
    QByteArrayList m_queues;
    const std::vector<jobs::JobId> &m_ids;
    std::function<void(const jobs::JobId &)> m_onMoved;
    QSet<jobs::JobId> m_released; // where sessions are short, no single one would come to the end of them
    int m_changes = 0;
};

} // namespace drover::test
