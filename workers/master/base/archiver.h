#pragma once

#include "async/future.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/model/cluster.h"
#include "jobs/model/cluster_stats.h"
#include "workers/master/base/master_history.h"
#include "workers/master/base/set_aside.h"
#include "workers/master/base/troubles.h"
#include "zk/server_clock.h"

#include <QHash>

namespace drover::workers {

// The master's duty towards the history: it copies the records of done/ into the database, and deletes them afterwards.
//
//     watch and list done/
//     read the new records, many reads in flight
//     commit them to the database                          idempotent; on disk when the call returns; refused by the
//                                                          database after a later master's call. A file that several
//                                                          machines share is written under its write lock
//     delete records that were archived a while ago        transactions with check(master)
//
//     1  A record is deleted only after the database has it. A crash at any step leaves the record in one of the two or
//        both, and the next master archives the records of done/ again, which changes nothing.
//     2  Only the master deletes. A deposed master that still archives adds the records that the next one would add,
//        until the next one has archived: then the fencing token of its election is refused.
//     3  An archived record stays for a minute, for clients that wait for the job, and for a submitter that has lost
//        its reply and searches for the job's key. The records of array tasks, which have no such submitter, are
//        deleted at once. Never more archived records than the cluster's done_limit are kept.
//     4  A record that an array must count, or that another job waits for, stays until then: the next master may have
//        another history and could not find out how the job ended.
//     5  While the database fails, or does not answer, nothing is deleted here. The master then makes claims pause, or
//        drops the oldest records (Throttle, Master).
//     6  A record that the master cannot read, or that the database refuses even without its texts, is set aside
//        (SetAside): it stays in done/, Troubles names it, and the others are archived. The next trial is in ten
//        minutes. One that is refused waits for the history as others do, so a database that refuses all makes claims
//        pause in the end (Throttle).
//     7  A failing prune is not a failing archive. Nothing is pruned unless this machine's clock is known to agree with
//        the servers'.
class Archiver
{
public:
    static constexpr std::chrono::seconds Linger{60};

    using IsAwaited = std::function<bool(const jobs::JobId &id)>;

    // All that is referred to outlives it. Without `clock` this machine's clock is trusted.
    Archiver(
        jobs::Cluster cluster, MasterHistory &history, Troubles &troubles, const zk::ServerClock *clock = nullptr,
        IsAwaited isAwaited = [](const jobs::JobId &) { return false; });

    // Runs until the fence no longer holds. Throws SessionLost; state() reports every other failure, which is retried.
    async::Task<void> run(recipes::Fence fence);

    void setConfig(const jobs::ClusterConfig &config);
    bool failing() const { return !m_error.isEmpty(); }
    // Why the history's limits could not be applied; empty if they could.
    const QString &pruneError() const { return m_pruneError; }
    qint64 refused() const { return m_refused.size(); } // by the database
    // How many of the `records` in done/ wait to be archived.
    qint64 waiting(qint64 records) const;
    // The master has deleted this record to keep done/ under its limit.
    void noteTrimmed(const jobs::JobId &id) { m_lost += m_kept.contains(id) ? 0 : 1; }
    // The state with `records` in done/. The number of waiting records is known after the first try; before it, records
    // that an earlier master has archived look unarchived.
    jobs::ClusterStats::Archive state(qint64 records) const;

private:
    struct Kept {
        zk::Zxid czxid = 0; // of its final record
        async::TimePoint due; // when it is to be deleted
    };

    async::Task<bool> feedHistory(recipes::Fence fence, std::vector<jobs::JobId> fresh);
    async::Task<void> archive(recipes::Fence fence, std::vector<jobs::JobId> ids);
    async::Task<bool> sweep(recipes::Fence fence);
    async::Task<bool> removeDone(recipes::Fence fence, std::vector<jobs::JobId> ids);
    async::Task<history::Term> termOf(recipes::Fence fence);
    async::Task<void> prune(recipes::Fence fence);
    async::Task<void> untilNeeded(const zk::Watch &changed);
    std::vector<jobs::JobId> forgetGone(const QByteArrayList &names);
    void succeeded();
    void failed(const QString &why);

    jobs::Cluster m_cluster;
    MasterHistory &m_history;
    const zk::ServerClock *m_clock;
    IsAwaited m_isAwaited;
    jobs::ClusterConfig m_config;
    QHash<jobs::JobId, Kept> m_kept; // archived and still in done/
    DutyTroubles m_troubles;
    SetAside m_unreadable; // only the client that wrote such a record, or a newer master, can mend it
    SetAside m_refused; // by the database
    async::TimePoint m_nextPrune{};
    async::Promise<bool> m_wake; // ends the wait for a change
    async::Duration m_pause{}; // grows while the database fails
    QString m_error;
    QString m_pruneError;
    std::chrono::milliseconds m_failingSince{};
    qint64 m_lost = 0;
    bool m_hasTried = false; // has tried to archive the records that it found
};

} // namespace drover::workers
