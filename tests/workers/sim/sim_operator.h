#pragma once

#include "jobs/client/job_control.h"
#include "support/seeded_random.h"

#include <QSet>

#include <functional>

namespace drover::test {

// A user who holds, releases, requeues, signals, moves and cancels jobs at random, also tasks of arrays and members of
// gangs. The user deposes the master now and then, and in the end releases all jobs.
class SimOperator
{
public:
    // What was carried out.
    struct Changes {
        int all = 0;
        int ofTasks = 0; // changes of tasks and members
        int cancels = 0; // cancels of jobs and tasks
        int stepdowns = 0; // of masters
    };

    // `ids` are the present jobs. `onMoved` is called with the id of each job that a move has made.
    SimOperator(SeededRandom &random, jobs::Layout layout, QByteArrayList queues, const std::vector<jobs::JobId> &ids,
                std::function<void(const jobs::JobId &)> onMoved);

    // Most of what the operator does is to hold jobs and to move them.
    void setMostlyMoves(bool mostly) { m_mostlyMoves = mostly; }

    // Both throw SessionLost; call again with another session.
    async::Task<void> control(zk::Client &zk, int &rounds); // down to 0
    async::Task<void> releaseAll(zk::Client &zk);

    const Changes &changes() const { return m_changes; }

private:
    async::Task<std::optional<jobs::JobId>> some(zk::Client &zk);
    async::Task<void> controlOne(zk::Client &zk, jobs::JobId id);
    async::Task<void> cancel(zk::Client &zk, jobs::JobId id);
    async::Task<void> deposeMaster(zk::Client &zk);
    QByteArray someQueue() { return m_queues[m_random.below(static_cast<int>(m_queues.size()))]; }

    SeededRandom &m_random;
    jobs::Layout m_layout;
    QByteArrayList m_queues;
    const std::vector<jobs::JobId> &m_ids;
    std::function<void(const jobs::JobId &)> m_onMoved;
    QSet<jobs::JobId> m_released; // where sessions are short, no single one would come to the end of them
    bool m_mostlyMoves = false;
    Changes m_changes;
};

} // namespace drover::test
