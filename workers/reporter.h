#pragma once

#include "workers/claimed_job.h"
#include "zk/coordinator.h"

#include <deque>
#include <functional>

namespace drover::workers {

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
//         its claim stands beside somebody's final record: that never changes; delete(job) ; delete claims/<id>
//         otherwise that attempt is not the current one: its result is void, and its claim, if it stands, is deleted
//
// The version makes a zombie's report fail in the server: at most one attempt of a job ever completes. While a claim
// stands nobody else can claim its job, so whoever sees its claim after a version may act on that version.
// An end may be reported by another session than the one that claimed: each claim raises the version, so that until the
// next one the result is the current attempt's.
class Reporter
{
public:
    Reporter(zk::Coordinator &zk, jobs::Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    // `answered` is called when the cluster knows, or refuses to.
    using Answered = std::function<void()>;
    void finish(const ClaimedJob &job, const jobs::FinalRecord &record, Answered answered = {});
    void giveBack(const ClaimedJob &job);
    void giveBackUnbegun(const ClaimedJob &job);
    void requeue(const ClaimedJob &job);
    void retry(const ClaimedJob &job, std::chrono::milliseconds notBefore, int exitCode,
               const jobs::FinalRecord &ifCancelled, Answered answered = {});

    // Whether jobs that are short wait here for a slot: others will end in a moment, and to share their transaction is
    // worth up to GatherTime. Otherwise what is reported is sent at once.
    void expectMore(bool expected);

    // Sends what is reported, for as long as the session lives; throws SessionLost.
    async::Task<void> run();

    // Returns when all that was reported has been answered for.
    async::Task<void> flushed();

    // Results that were void because the attempt was no longer the current one.
    qint64 rejected() const { return m_rejected; }

private:
    enum class Kind { Finish, GiveBack, GiveBackUnbegun, Retry, Drop };

    struct Report {
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

    async::Task<void> gather();
    void giveBackUncounted(const ClaimedJob &job, const QString &ifCancelled);
    void add(Kind kind, const ClaimedJob &job, QByteArray record, QByteArray data, Answered answered = {});
    void append(zk::Transaction &transaction, const Report &report) const;
    void wakeIdle(zk::Transaction &transaction, const std::vector<Report> &reports, std::size_t count) const;
    async::Task<void> send(std::vector<Report> reports);
    async::Task<std::optional<Report>> afterRefusal(Report report);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::deque<Report> m_waiting;
    std::size_t m_sending = 0;
    bool m_moreExpected = false;
    qint64 m_rejected = 0;
    async::Event m_added;
    async::Event m_answered;
};

} // namespace drover::workers
