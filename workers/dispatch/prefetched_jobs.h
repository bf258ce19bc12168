#pragma once

#include "workers/attempts/attempts.h"

#include <deque>

namespace drover::workers {

// The plain jobs that were claimed before a slot was free, in the order of their claims. They wait here, or in the
// runner behind a running job. A job that waits for too long goes back to its queue.
//
// Also says how many such jobs to claim: as many as will start during another claim. Otherwise each slot would be idle
// for a report, a read and a claim after each job. Belongs to the session's thread.
class PrefetchedJobs
{
public:
    // All arguments outlive this object. `onGivenBack` is called when jobs have left for their queues.
    PrefetchedJobs(async::Loop &loop, Capacity &capacity, Attempts &attempts, Reporter &reporter,
                   std::function<void()> onGivenBack);

    // Notes how long a claim took, from reading the specs to the answer.
    void noteClaim(async::Duration took) { m_claim += (took - m_claim) / (m_claim.count() > 0 ? Weight : 1); }
    // How many are worth claiming. None for which a slot comes free only after Patience: another worker may be idle.
    int wanted() const;

    void add(ClaimedJob job) { m_here.push_back(std::move(job)); }
    // Puts a job that was recalled from behind a running one back to its place. Such jobs arrive one by one.
    void putBack(ClaimedJob job);

    // How many wait, here and behind running jobs.
    int count() const { return static_cast<int>(m_here.size()) + m_attempts.waiting(); }
    // The room that is left once all of them have started.
    Capacity left() const;

    // Starts the first job that waits here, in a free slot or behind a running job. False: there is none, or no room.
    bool startFirst();
    // For when no more can start now: recalls jobs that need not wait, and sends those back that wait for too long.
    void recallLate();
    // Gives back the jobs of one queue, or of all queues. Jobs behind running ones are recalled.
    void giveBack(const QByteArray &queue = {});

private:
    static constexpr int Weight = 5;

    ClaimedJob takeFirst();

    async::Loop &m_loop;
    Capacity &m_capacity;
    Attempts &m_attempts;
    Reporter &m_reporter;
    std::function<void()> m_onGivenBack;
    std::deque<ClaimedJob> m_here;
    async::Duration m_claim{}; // how long one takes, on average; 0: unknown
    async::Timer m_patience;
};

} // namespace drover::workers
