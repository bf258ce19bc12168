#pragma once

#include "jobs/queue_entry.h"

#include <QByteArrayList>
#include <QSet>

#include <deque>
#include <vector>

namespace drover::workers {

// The ready and unclaimed jobs of one listing of a queue, in the order in which this worker should try them.
//
// Within a priority a job belongs to the member that rendezvous hashing gives it (Thaler and Ravishankar, "Using
// name-based mappings to increase hit rates", IEEE/ACM ToN 1998): each worker takes its own part first, oldest first,
// so that hardly two ever try the same job. The part of others is taken when its own is empty, newest first: their
// owners come from the other end.
class Backlog
{
public:
    Backlog() = default;

    // `names` are the queue's children, `taken` those of its jobs (JobId::inQueue) that are not to be tried.
    Backlog(const QByteArray &queue, const QByteArrayList &names, const QSet<qint64> &taken, const QByteArray &worker,
            const QByteArrayList &members);

    bool empty() const { return m_own.empty() && m_others.empty(); }
    std::size_t size() const { return m_own.size() + m_others.size(); }

    // Up to `count` jobs of one priority to try now, removed from the backlog.
    std::vector<jobs::QueueEntry> take(std::size_t count);

private:
    std::deque<jobs::QueueEntry> m_own;
    std::deque<jobs::QueueEntry> m_others;
};

} // namespace drover::workers
