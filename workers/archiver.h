#pragma once

#include "async/future.h"
#include "jobs/cluster.h"
#include "workers/history_writer.h"
#include "workers/server_clock.h"

#include <QHash>

namespace drover::workers {

// The master's duty towards the history: what lies in done/ goes into the database, and is deleted afterwards.
//
//     watch and list done/
//     read what is new, many reads in flight
//     commit it to the database                            idempotent; on its disk when it returns; refused by the
//                                                          database if a later master has been there. Into a file that
//                                                          several machines share: under its write lock
//     delete what has been archived for a while            transactions with check(master)
//
//     1  A record is deleted only after the database has it: a crash at any step leaves it in one of the two or in
//        both, and the next master archives again what lies in done/, which changes nothing.
//     2  Only the master deletes. A deposed one that still archives adds what the next one would have added, until the
//        next one has archived: then its epoch, the token of its election, is refused.
//     3  An archived record stays for a minute, so that who waits for the job finds it, and so does a submitter who has
//        lost its reply and looks for the job's key; jobs without a client's key have no such submitter, and the tasks
//        of arrays go at once. More records than the cluster's done_limit are never kept.
//     4  A record that the master has still to look at, because an array counts it or a job waits for it, stays until
//        that is done: the next master may keep another history, and could not tell how the job has ended.
//     5  While the database fails, or says nothing, nothing is deleted here. The master then makes claims pause, or
//        drops the oldest (Throttle, Master).
//     6  A prune that fails is no archive that fails. Nothing is pruned while this machine's clock is not known to
//        agree with the servers'.
class Archiver
{
public:
    static constexpr std::chrono::seconds Linger{60};

    using IsAwaited = std::function<bool(const jobs::JobId &id)>;

    // What is referred to outlives it. `clock` null: the own clock is good.
    Archiver(
        zk::Coordinator &zk, jobs::Layout layout, HistoryWriter &history, const ServerClock *clock = nullptr,
        IsAwaited isAwaited = [](const jobs::JobId &) { return false; });

    // Until the fence no longer holds. Throws SessionLost; every other trouble is told in state() and tried again.
    async::Task<void> run(recipes::Fence fence);

    void setConfig(const jobs::ClusterConfig &config);
    bool failing() const { return !m_error.isEmpty(); }
    // Why the history's limits could not be applied; empty if they could.
    const QString &pruneError() const { return m_pruneError; }
    // Of `records` in done/, those that are not known to be archived and could be.
    qint64 waiting(qint64 records) const;
    // The master has deleted this record to keep done/ under its limit.
    void noteTrimmed(const jobs::JobId &id);
    // With `records` in done/. How many wait is known once it has tried to archive those that it found: a record that
    // an earlier master has archived looks like any other until then.
    jobs::ClusterStats::Archive state(qint64 records) const;

private:
    struct Kept {
        zk::Zxid czxid = 0; // of its final record
        async::TimePoint due; // to be deleted
    };

    async::Task<bool> feedHistory(recipes::Fence fence, std::vector<jobs::JobId> fresh);
    async::Task<void> archive(recipes::Fence fence, std::vector<jobs::JobId> ids);
    void leaveAside(const jobs::JobId &id);
    async::Task<bool> sweep(recipes::Fence fence);
    async::Task<bool> removeDone(recipes::Fence fence, std::vector<jobs::JobId> ids);
    async::Task<history::Term> termOf(recipes::Fence fence);
    async::Task<void> prune(recipes::Fence fence);
    async::Task<void> untilNeeded(const zk::Watch &changed);
    std::vector<jobs::JobId> forgetGone(const QByteArrayList &names);
    void succeeded();
    void failed(const QString &why);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    HistoryWriter &m_history;
    const ServerClock *m_clock;
    IsAwaited m_isAwaited;
    jobs::ClusterConfig m_config;
    QHash<jobs::JobId, Kept> m_kept; // archived and still in done/
    QHash<jobs::JobId, async::TimePoint> m_aside; // may not be read; until when they are left alone
    async::TimePoint m_nextPrune{};
    async::Promise<bool> m_wake; // ends the wait for a change
    async::Duration m_pause{}; // grows while the database fails
    QString m_error;
    QString m_pruneError;
    std::chrono::milliseconds m_failingSince{};
    qint64 m_lost = 0;
    bool m_hasTried = false; // to archive what it found
};

} // namespace drover::workers
