#pragma once

#include "workers/claimed_job.h"
#include "zk/coordinator.h"

#include <deque>
#include <functional>

namespace drover::workers {

// How one attempt ended, for Reporter.
struct Report {
    enum class Kind { Finish, GiveBack, GiveBackUnbegun, Retry, Drop };
    using Answered = std::function<void()>; // called when the cluster knows, or refuses to

    Kind kind;
    jobs::JobId id;
    jobs::QueueEntry entry;
    qint32 attempt;
    qint32 version; // of the job's node
    zk::Zxid token; // czxid of the claim
    zk::Zxid changed; // mzxid of the job's node
    QByteArray record; // of a finish; of what is to run again: for the case that it is cancelled
    QByteArray data; // of what is to run again: the job's, to be set
    std::shared_ptr<const Holding> held; // released once this is answered: nobody else goes on before
    Answered answered;
    bool claimed = true; // the claim goes as well
    bool repaired = false; // it lacked the node that tells the master, and is sent once more
};

// Tells the cluster how attempts ended. What is reported while a transaction is under way shares the next one; while
// more is expected within milliseconds, the next one waits for it.
//
//     finish:    delete(job, the attempt's version) ; delete claims/<id> ; create done/<id>
//     give back: check(job, the attempt's version) ; delete claims/<id>          -- the job is claimable again
//     give back what was not begun: set(job, one more returned, the attempt's version) ; delete claims/<id>
//     requeue:   the same of what has begun and was killed to be begun again
//     of all that gives back: create queues/<queue>/returned ; delete it -- the children change, which the first of the
//         idle workers watches
//     retry later: move the job to those that wait (jobs::move), with its time ; delete claims/<id>
//     if one of them is refused: the others again without it; then look at it:
//         its own record is there, or the claim of a give-back is gone: the lost reply of an earlier try was its reply
//         its claim stands and the job is cancelled: the cancel has raised the version by one; with that version again,
//         and what was to run again is finished as cancelled
//         it is to run again, and nothing has happened to the job: the node that tells the master (jobs::move) is not
//         there, somebody has deleted it; once more with that
//         its claim is gone, and nothing has happened to the job since: nobody has claimed it; without the claim again
//         (not a plain give-back: there is nothing left to do)
//         its claim stands beside somebody's final record: that never changes; delete(job) ; delete claims/<id>
//         otherwise that attempt is not the current one: its result is void, and its claim, if it stands, is deleted
//
// The version makes a zombie's report fail in the server: at most one attempt of a job ever completes. While a claim
// stands nobody else can claim its job, so whoever sees its claim after a version may act on that version.
// An end may be reported by another session than the one that claimed: each claim raises the version, so that until the
// next one the result is the current attempt's. So may a requeue, and that is how an outage of ZooKeeper costs a job no
// attempt. The steps, of a process that lives on while its session is lost:
//
//     1  the session is lost; the processes of the jobs are killed (by the lease, at the latest by Attempts::killAll);
//        each of these jobs is requeued at this Reporter, which has nobody to send that to
//     2  unanswered() hands it to the Reporter of the process's next session, which sends it before the worker joins:
//        while its last session is known to the servers, nobody can have claimed the jobs
//     3  the transaction is the one above: at the attempt's version, with the old claim if it still stands
//
//     somebody has claimed the job meanwhile    He could: ZooKeeper was there, and the worker was not. The version
//                                               refuses the requeue; that attempt was lost, and counts.
//     step 3 of the last session arrives late   One of the two is refused by the version that the other has raised.
//     the next session is lost as well          What is not answered is handed on once more.
//     the process dies                          Nobody tells; the attempt counts, outage or not.
class Reporter
{
public:
    Reporter(zk::Coordinator &zk, jobs::Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    using Answered = Report::Answered;
    void finish(const ClaimedJob &job, const jobs::FinalRecord &record, Answered answered = {});
    void giveBack(const ClaimedJob &job);
    void giveBackUnbegun(const ClaimedJob &job);
    void requeue(const ClaimedJob &job);
    void retry(const ClaimedJob &job, std::chrono::milliseconds notBefore, int exitCode,
               const jobs::FinalRecord &ifCancelled, Answered answered = {});

    // Whether jobs that are short wait here for a slot: others will end in a moment, and to share their transaction is
    // worth up to GatherTime. Otherwise what is reported is sent at once.
    void expectMore(bool expected);

    // Sends what is reported, for as long as the session lives; throws SessionLost. It may be destroyed while nothing
    // is reported, and called again.
    async::Task<void> run();

    // Returns when all that was reported has been answered for.
    async::Task<void> flushed();

    // What was to give a job back and cost it nothing, and has not been answered when the session was lost: for the
    // Reporter of this process's next session. The locks that its jobs held are the lost session's.
    std::vector<Report> unanswered() const;
    void add(std::vector<Report> reports);

    // Results that were void because the attempt was no longer the current one.
    qint64 rejected() const { return m_rejected; }

private:
    using Kind = Report::Kind;

    async::Task<void> gather();
    void giveBackUncounted(const ClaimedJob &job, const QString &ifCancelled);
    void add(Kind kind, const ClaimedJob &job, QByteArray record, QByteArray data, Answered answered = {});
    void append(zk::Transaction &transaction, const Report &report) const;
    void wakeIdle(zk::Transaction &transaction, std::size_t count) const;
    async::Task<void> send();
    async::Task<std::optional<Report>> afterRefusal(Report report);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::deque<Report> m_waiting;
    std::vector<Report> m_sending; // what of them is not answered
    bool m_moreExpected = false;
    qint64 m_rejected = 0;
    async::Event m_added;
    async::Event m_answered;
};

} // namespace drover::workers
