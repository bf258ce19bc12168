#pragma once

#include "workers/claimed_job.h"
#include "zk/coordinator.h"

#include <deque>

namespace drover::workers {

// Tells the cluster how attempts ended. What is reported while a transaction is under way shares the next one.
//
//     finish:    delete(job, version = attempt) ; delete claims/<id> ; create done/<id>
//     give back: check(job, version = attempt) ; delete claims/<id>          -- the job is claimable again
//     give back what was not begun: set(job, one more returned, version = attempt) ; delete claims/<id> if nobody has
//     written to it; who has, has cancelled the job: finish it as cancelled
//     if one of them no longer holds: that attempt is not the current one; the others again without it
//     if the reply was lost: the same again; an own record that is there already was the lost reply's
//
// The version makes a zombie's report fail in the server: at most one attempt of a job ever completes.
class Reporter
{
public:
    Reporter(zk::Coordinator &zk, jobs::Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    void finish(const ClaimedJob &job, const jobs::FinalRecord &record);
    void giveBack(const ClaimedJob &job);
    void giveBackUnbegun(const ClaimedJob &job, const jobs::FinalRecord &ifCancelled);

    // Sends what is reported, for as long as the session lives; throws SessionLost.
    async::Task<void> run();

    // Returns when all that was reported has been answered for.
    async::Task<void> flushed();

    // Reports that the server refused because the attempt was no longer the current one.
    qint64 rejected() const { return m_rejected; }

private:
    struct Report {
        jobs::JobId id;
        zk::Path job;
        qint32 attempt;
        QByteArray record; // of a finish
        QByteArray returned; // of what was not begun: the job's data, to be set; the record is for the case of a cancel
    };

    void add(Report report);
    static void append(zk::Transaction &transaction, const Report &report, const zk::Path &claim, const zk::Path &done);
    async::Task<void> send(std::vector<Report> batch);
    async::Task<bool> wasCommitted(Report report);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::deque<Report> m_waiting;
    std::size_t m_sending = 0;
    qint64 m_rejected = 0;
    async::Event m_added;
    async::Event m_answered;
};

} // namespace drover::workers
