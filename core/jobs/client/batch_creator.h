#pragma once

#include "async/future.h"
#include "async/post_guard.h"
#include "jobs/client/find_by_submit_key.h"
#include "jobs/model/job_spec.h"
#include "recipes/blocks/receipts.h"

#include <deque>

namespace drover::jobs {

// The session ended before ZooKeeper said whether the job was submitted. No client can find out for certain: the
// receipt was deleted with the session, and a job that is not found may have ended already. It is not a zk::Error,
// because it also has the job's key.
class SubmittedOrNot : public std::runtime_error
{
public:
    explicit SubmittedOrNot(const QString &cause);

    QString why; // the cause
};

// Creates the nodes of jobs, each once, although replies are lost. Creates of one queue that are wanted while others
// are under way share a transaction, which makes many of them cheaper than one request each:
//
//     commit: create sequential queues/<queue>/<class><priority>- , for each of at most 64 jobs
//             set waiting/<queue>, if one of them is the master's
//             create or set submitters/_r_<uuid>                              -- recipes::Receipts: was it carried out?
//     if the reply was lost, and the receipt says that the transaction was carried out: look for the keys of its jobs,
//             in the queue from the number `from` on, then in done/. Their numbers follow one another, so that one job
//             tells the ids of all. One search of a queue serves all transactions whose replies were lost.
//
// The receipt decides, with one read, whether a job was submitted. It does so whatever has become of the job: archived,
// deleted, moved. The search only finds the id.
class BatchCreator
{
public:
    static constexpr std::size_t MostJobs = 64; // in one transaction
    static constexpr qsizetype MostBytes = 256 * 1024; // of their specs
    static constexpr int MostUnderWay = 8; // transactions

    struct Made {
        zk::Code code = zk::Code::Ok; // or why no job was created
        bool refusedWith = false; // `with` was refused
        zk::Path path{}; // the root: created, but its number is unknown
    };

    explicit BatchCreator(Cluster cluster);

    // The jobs of one queue get their numbers in the order of the calls. The caller knows that the job's number will be
    // at least `from`. `with`: at most one operation, carried out with the create. Throws zk::SessionLost (not
    // created), SubmittedOrNot and zk::AccessDenied. Destroying the task withdraws a job that has not been sent.
    async::Task<Made> create(std::shared_ptr<const NewJob> job, qint32 from, zk::Transaction with = {});

    // How many jobs of a queue wait to be sent.
    qint64 unsent(const QByteArray &queue) const;

    recipes::Receipts &receipts() { return m_receipts; }
    KeySearch &search() { return m_search; }

private:
    struct Wish {
        std::shared_ptr<const NewJob> job;
        qint32 from;
        zk::Transaction with;
        async::Promise<Made> promise{};

        const QByteArray &queue() const { return job->spec.queue; }
    };
    using Batch = std::vector<std::shared_ptr<Wish>>;

    void sendSoon();
    void send();
    Batch takeBatch();
    async::Task<void> carryOut(Batch batch);
    async::Task<void> commit(Batch batch);
    async::Task<void> nameUnanswered(Batch batch);
    zk::Transaction transactionOf(const Batch &batch) const;
    void answer(const Batch &batch, std::vector<Made> made);
    void fail(const Batch &batch, std::exception_ptr error);

    Cluster m_cluster;
    recipes::Receipts m_receipts;
    KeySearch m_search;
    std::deque<std::weak_ptr<Wish>> m_wishes; // not sent yet
    bool m_sendsSoon = false;
    async::PostGuard m_guard;
    async::TaskGroup m_underWay; // last: its tasks use the rest
};

} // namespace drover::jobs
