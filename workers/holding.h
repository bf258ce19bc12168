#pragma once

#include "jobs/job_spec.h"
#include "jobs/layout.h"
#include "recipes/multi_lock.h"

#include <memory>
#include <vector>

namespace drover::workers {

// The locks, permits and the place in its gang that a job holds while it runs; released with the last copy of the
// pointer to it.
struct Holding {
    recipes::MultiHold locks;
    // "DROVER_LOCK_FENCE_<NAME>=token" for each lock, by which the job may fence its writes; and what else comes with
    // what is held.
    QList<QByteArray> environment;
    std::vector<std::shared_ptr<const void>> more{}; // released with it

    // What `held` holds, if anything, and `place` with its variables.
    static std::shared_ptr<const Holding> with(std::shared_ptr<const Holding> held, QList<QByteArray> environment,
                                               std::shared_ptr<const void> place);
};

// What a job asks to hold: its locks, which are the read-write locks of `drover lock NAME` (--lock writes, --lock-shared
// reads), one permit of each of its limits, and
// one of its queue's if that has a limit. Outlives its task.
class Holdables
{
public:
    // `queueLimit`: that the job's queue has one.
    Holdables(zk::Coordinator &zk, const jobs::Layout &layout, const jobs::JobSpec &spec, bool queueLimit);
    ~Holdables();

    // What such a job waits for, as `onTurn` below hears it; empty: it holds nothing.
    static QStringList namesFor(const jobs::JobSpec &spec, bool queueLimit);

    // All or none, in an order that is the same for everybody. `about` is for those who look at the locks' znodes;
    // `onTurn` hears what is waited for: "lock db". Throws what locks throw.
    async::Task<std::shared_ptr<const Holding>> acquire(QByteArray about, std::function<void(QString)> onTurn);

private:
    struct Holdable {
        QString what; // "lock db"
        QByteArray variable; // of the environment; empty: none
        std::unique_ptr<recipes::Lockable> lockable;
    };

    const Holdable &at(const zk::Path &path) const;
    void add(Holdable holdable);

    std::vector<Holdable> m_all;
};

} // namespace drover::workers
