#pragma once

#include "jobs/model/queue_entry.h"

#include <QByteArrayList>
#include <QSet>

#include <deque>
#include <vector>

namespace drover::workers {

// The ready and unclaimed jobs of one listing of a queue, in the order in which this worker should try them.
//
// Rendezvous hashing gives each job of a priority to one member (Thaler and Ravishankar, "Using name-based mappings to
// increase hit rates", IEEE/ACM ToN 1998). Each worker takes its own part first, oldest first, so that two workers
// rarely try one job. When its part is empty it takes the others' parts, newest first, because their owners begin with
// the oldest.
class CandidateList
{
public:
    CandidateList() = default;

    // `names` are the queue's children. `taken` are the jobs among them (JobId::inQueue) that must not be tried.
    CandidateList(const QByteArray &queue, const QByteArrayList &names, const QSet<qint64> &taken,
                  const QByteArray &worker, const QByteArrayList &members);

    bool empty() const { return m_own.empty() && m_others.empty(); }
    std::size_t size() const { return m_own.size() + m_others.size(); }

    // Up to `count` jobs of one priority to try now, removed from the list.
    std::vector<jobs::QueueEntry> take(std::size_t count);
    // Puts entries that take() has returned back before all others of their priority.
    void putBack(const std::vector<jobs::QueueEntry> &entries);

private:
    std::deque<jobs::QueueEntry> m_own;
    std::deque<jobs::QueueEntry> m_others;
};

} // namespace drover::workers
