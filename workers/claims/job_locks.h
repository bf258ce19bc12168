#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/job_spec.h"
#include "recipes/locks/multi_lock.h"

#include <memory>
#include <vector>

namespace drover::workers {

// The locks, permits and gang place that a job holds while it runs. They are released with the last copy of the
// pointer.
struct JobLocks {
    recipes::MultiHold locks;
    // "DROVER_LOCK_FENCE_<NAME>=token" for each lock, by which the job may fence its writes; "DROVER_LOCK_OWNER=..."
    // with any lock or permit (recipes/locks/outer_owners.h); and the variables of a gang's member.
    QList<QByteArray> environment;
    std::vector<std::shared_ptr<const void>> more{}; // released with this object

    // Joins the locks of `held`, which may be null, and `place` with its variables.
    static std::shared_ptr<const JobLocks> with(std::shared_ptr<const JobLocks> held, QList<QByteArray> environment,
                                                std::shared_ptr<const void> place);
};

// The locks and permits that a job asks for. Its locks are the read-write locks of `drover lock NAME`: --lock writes,
// --lock-shared reads. It takes one permit of each of its limits, and one of its queue's limit if there is one. The
// object must outlive the task of acquire().
class LockRequests
{
public:
    // `queueLimit`: the job's queue has a limit.
    LockRequests(jobs::Cluster cluster, const jobs::JobSpec &spec, bool queueLimit);
    ~LockRequests();

    // The names of the locks and limits that such a job needs, as in `onTurn` below.
    static QStringList namesOf(const jobs::JobSpec &spec, bool queueLimit);

    // Takes all or none, in an order that all clients share. `about`, the job's id, is stored in the locks' znodes, for
    // people to read. `onTurn` is called with the name of the lock or limit that it waits for: "lock db". Throws the
    // errors of locks.
    async::Task<std::shared_ptr<const JobLocks>> acquire(QByteArray about, std::function<void(QString)> onTurn);

private:
    struct Request {
        QString what; // "lock db"
        QByteArray variable; // of the environment; empty: none
        std::unique_ptr<recipes::Lockable> lockable;
    };

    const Request &at(const zk::Path &path) const;
    void add(Request request);

    std::vector<Request> m_all;
};

} // namespace drover::workers
