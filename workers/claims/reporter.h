#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"
#include "workers/claims/claimed_job.h"
#include "zk/client.h"

#include <deque>
#include <functional>

namespace drover::workers {

// The end of one attempt, for Reporter.
struct Report {
    enum class Kind { Finish, GiveBack, GiveBackUnstarted, Retry, Drop };
    // The server accepted or refused it. `isStored`: a finish, whose final record is there.
    using Answered = std::function<void(bool isStored)>;

    Kind kind;
    ClaimedJob job; // its locks are released once this report is answered
    qint32 version; // of the job's node; greater by one than the attempt's if a cancel was seen
    // The final record: of a finish; also of a job that is to run again, in case that it is cancelled.
    QByteArray record;
    QByteArray data; // the new data of a job that is to run again
    Answered answered;
    bool repaired = false; // repeated, to create the node that notifies the master
};

// Reports the ends of attempts to the cluster. Reports that are made during a transaction share the next one. If more
// are expected within milliseconds, the next transaction waits for them.
//
//     finish:    delete(job, the attempt's version) ; delete claims/<id> ; create done/<id>
//     give back: check(job, the attempt's version) ; delete claims/<id>          -- the job is claimable again
//     give back a job that has not begun: set(job, one more returned, the attempt's version) ; delete claims/<id>
//     requeue:   the same operations, for a job that was killed in order to begin again
//     each give-back also: create queues/<queue>/returned ; delete it -- this changes the queue's children, which the
//         first idle worker watches
//     retry later: move the job to the waiting ones (jobs::reposition), with its time ; delete claims/<id>
//     if one report is refused: repeat the others without it; then read its job:
//         its own record exists, or the claim of a give-back is gone: an earlier try was carried out, its reply was
//         lost
//         its claim stands and the job is cancelled: the cancel has raised the version by one; repeat with that
//         version; a job that was to run again is finished as cancelled
//         it is to run again and the job is unchanged: the node that notifies the master (jobs::reposition) was deleted
//         by hand; repeat once, and create that node
//         its claim is gone and the job is unchanged since: the job is unclaimed; repeat without the claim
//         (not for a plain give-back, which has no more to do)
//         its claim stands beside another worker's final record, which never changes: delete(job) ; delete claims/<id>
//         another program's znodes are below the job's: logged; the result is void, and the claim is deleted. Nothing
//         can end such a job, and no worker begins it again until they are gone (Claimer)
//         otherwise the attempt is not the current one: its result is void, and its claim, if it stands, is deleted
//     if this session lacks a right, or the request is too large: repeat each report alone; the one that no server
//         takes is logged, and its claim is deleted: the attempt counts, and the job may be claimed again. If the claim
//         may not be deleted either, that is tried once a minute as long as the session lives
//
// Because of the version the server refuses a zombie's report: at most one attempt of a job ever completes. While a
// claim stands no other worker can claim its job. So a client that reads the claim after a version may act on that
// version. A session other than the claiming one may report an end, because each claim raises the version. Until the
// next claim the result is the current attempt's. The next session may also send a requeue, so an outage of ZooKeeper
// costs a job no attempt. The steps of a process that lives on while its session is lost:
//
//     1  the session is lost; the jobs' processes are killed (by the lease, at the latest by Attempts::killAll);
//        each of these jobs is requeued at this Reporter, which can no longer send
//     2  unanswered() hands the reports to the Reporter of the process's next session, which sends them before the
//        worker joins: while the servers know the last session, no other worker can claim the jobs
//     3  the transaction is the one above: at the attempt's version, with the old claim if it still stands
//
//     another worker has claimed the job        It could, because ZooKeeper was reachable, and this worker was not. The
//                                               version refuses the requeue; the attempt was lost, and counts.
//     step 3 of the last session arrives late   One of the two is refused by the version that the other has raised.
//     the next session is lost as well          Unanswered reports are handed on once more.
//     the process dies                          No process can report; the attempt counts, outage or not.
class Reporter
{
public:
    explicit Reporter(jobs::Cluster cluster) : m_cluster(std::move(cluster)) { }

    using Answered = Report::Answered;
    void finish(const ClaimedJob &job, const jobs::FinalRecord &record, Answered answered = {});
    void giveBack(const ClaimedJob &job) { add(Kind::GiveBack, job, {}, {}); }
    void giveBackUnstarted(const ClaimedJob &job);
    void requeue(const ClaimedJob &job);
    void retry(const ClaimedJob &job, std::chrono::milliseconds notBefore, int exitCode,
               const jobs::FinalRecord &ifCancelled, Answered answered = {});

    // With true a report waits up to GatherTime, to share its transaction with the ends that short jobs will have in a
    // moment. With false reports are sent at once.
    void expectMore(bool expected);

    // Sends the reports as long as the session lives; throws SessionLost. It may be destroyed while there are no
    // reports, and called again.
    async::Task<void> run();

    // Returns when all reports have been answered.
    async::Task<void> flushed();

    // The give-backs that cost no attempt and were unanswered when the session was lost, for the Reporter of this
    // process's next session. The locks of these jobs belong to the lost session.
    std::vector<Report> unanswered() const;
    void add(std::vector<Report> reports);

    // How many results were void: the attempt was no longer the current one, or no server took the report.
    qint64 rejected() const { return m_rejected; }

private:
    using Kind = Report::Kind;

    async::Task<void> gather();
    void giveBackUncounted(const ClaimedJob &job, const QString &ifCancelled);
    void add(Kind kind, const ClaimedJob &job, QByteArray record, QByteArray data, Answered answered = {});
    void append(zk::Transaction &transaction, const Report &report) const;
    void wakeIdle(zk::Transaction &transaction, std::size_t count) const;
    async::Task<void> send();
    async::Task<void> sendSome(std::size_t most, bool &wakes);
    async::Task<void> giveUp(QString trouble);
    async::Task<bool> removeClaim(jobs::JobId id, zk::Zxid claimZxid);
    async::Task<void> removeClaimLater(jobs::JobId id, zk::Zxid claimZxid);
    async::Task<std::optional<Report>> afterRefusal(Report report, bool &isStored);

    jobs::Cluster m_cluster;
    std::deque<Report> m_waiting;
    std::vector<Report> m_sending; // reports without an answer yet
    bool m_moreExpected = false;
    qint64 m_rejected = 0;
    async::Event m_added;
    async::Event m_answered;
    async::TaskGroup m_removing; // last: destroyed first
};

} // namespace drover::workers
