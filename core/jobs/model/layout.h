#pragma once

#include "jobs/model/job_id.h"
#include "jobs/model/queue_entry.h"
#include "zk/path.h"

#include <QCryptographicHash>
#include <QString>

namespace drover::jobs {

// The znodes of a cluster. The one place that knows their names:
//
//     /drover/<cluster>/config                             settings (JSON)
//                      /certificates/<serial>              trust::Certificate, a signed line
//                      /revocations                        trust::Revocations, a signed line
//                      /renewals                           RootRotation: root key and passwords are being replaced
//                      /renewals/<serial>                  trust::Renewal, for the holder of that certificate
//                      /members/<worker>                   ephemeral: WorkerInfo
//                      /outputs/<worker>                   ephemeral: OutputAccess, where its jobs' output is read
//                      /master/_c_<uuid>-latch-<seq>       the lowest is the master
//                      /queues/<queue>                     QueueSettings
//                      /queues/<queue>/<class><prio>-<seq> an unfinished job: JobSpec
//                      /queues/<queue>/returned            comes and goes in the transaction that gives a job back
//                      /waiting/<queue>                    set whenever a job comes to the queue that waits for the
//                                                          master
//                      /dedupe/<queue>/<sha256 of the key>  DedupeMark: the job submitted under that key
//                      /submitters/_r_<uuid>               ephemeral: recipes::Receipts of a Submitter
//                      /claims/<queue>-<n>                 ephemeral: Claim, who runs job n
//                      /cancels/<queue>-<n>                a note of a cancel, for the master to remove
//                      /audit/<id>                         SignedEntry: who has changed what
//                      /cordons/<worker>                   Cordon: that worker claims no jobs
//                      /idle/<queue>/_c_<uuid>-w-<seq>     ephemeral: workers without work, in line
//                      /done/<queue>-<n>                   FinalRecord
//                      /schedules/<name>                   ScheduleEntry: jobs that recur
//                      /locks/<name>/...                   named locks, and so on for what else jobs and scripts
//                      /limits/<name>/...                  share: semaphores,
//                                    /permits              how many at a time: a SharedCount
//                      /gangs/<queue>-<n>:<round>/         one start of a gang: workers/README.md
//                                    <rank>.<claimZxid>    ephemeral: a member that has its place, GangMember
//                                    ready                 the members that have begun together
//                      /elections/<name>/...               elections,
//                      /barriers/<name>                    barriers,
//                      /double-barriers/<name>/...         double barriers,
//                      /groups/<name>/<member>             groups,
//                      /settings/<key>                     settings,
//                      /counters/<name>                    counters,
//                      /items/<name>/qn-<seq>              queues of items
//                      /files/<sha256 of the path>/meta     the ledger of a shared file
//                                                 /lock/    its write lock
//                      /history/lock/                      the write lock of a history in a shared file
//                      /throttle/claims                    ephemeral, the master's: Backpressure, claims pause
//                      /stats                              the master's ClusterStats
class Layout
{
public:
    explicit Layout(QByteArray clusterName) : m_clusterName(std::move(clusterName)), m_root(clusters() / m_clusterName)
    {
    }

    // The parent of all clusters.
    static zk::Path clusters() { return zk::Path("/drover"); }

    const QByteArray &clusterName() const { return m_clusterName; }
    const zk::Path &root() const { return m_root; }

    zk::Path config() const { return m_root / "config"; }
    zk::Path certificates() const { return m_root / "certificates"; }
    zk::Path certificate(const QByteArray &serial) const { return certificates() / serial; }
    zk::Path revocations() const { return m_root / "revocations"; }
    zk::Path renewals() const { return m_root / "renewals"; }
    zk::Path renewal(const QByteArray &serial) const { return renewals() / serial; }
    zk::Path members() const { return m_root / "members"; }
    zk::Path outputs() const { return m_root / "outputs"; }
    zk::Path output(const QByteArray &worker) const { return outputs() / worker; }
    zk::Path master() const { return m_root / "master"; }
    zk::Path stats() const { return m_root / "stats"; }

    zk::Path queues() const { return m_root / "queues"; }
    zk::Path queue(const QByteArray &queue) const { return queues() / queue; }
    zk::Path job(const QByteArray &queueName, const QueueEntry &entry) const { return queue(queueName) / entry.name(); }

    // Not a job's name. No client ever sees this node, but its create and delete change the queue's children.
    zk::Path returned(const QByteArray &queueName) const { return queue(queueName) / "returned"; }

    zk::Path waiting() const { return m_root / "waiting"; }
    zk::Path waiting(const QByteArray &queue) const { return waiting() / queue; }

    zk::Path dedupe() const { return m_root / "dedupe"; }
    zk::Path dedupe(const QByteArray &queue) const { return dedupe() / queue; }
    zk::Path dedupe(const QByteArray &queue, const QString &key) const { return dedupe(queue) / hash(key); }

    zk::Path submitters() const { return m_root / "submitters"; }

    zk::Path claims() const { return m_root / "claims"; }
    zk::Path claim(const JobId &id) const { return claims() / id.bytes(); }
    zk::Path cancels() const { return m_root / "cancels"; }
    zk::Path done() const { return m_root / "done"; }
    zk::Path done(const JobId &id) const { return done() / id.bytes(); }

    zk::Path audit() const { return m_root / "audit"; }

    zk::Path cordons() const { return m_root / "cordons"; }
    zk::Path cordon(const QByteArray &worker) const { return cordons() / worker; }

    zk::Path idle() const { return m_root / "idle"; }
    zk::Path idle(const QByteArray &queue) const { return idle() / queue; }

    zk::Path schedules() const { return m_root / "schedules"; }
    zk::Path schedule(const QByteArray &name) const { return schedules() / name; }

    zk::Path locks() const { return m_root / "locks"; }
    zk::Path lock(const QByteArray &name) const { return locks() / name; }
    zk::Path limits() const { return m_root / "limits"; }
    zk::Path limit(const QByteArray &name) const { return limits() / name; }
    zk::Path permits(const QByteArray &name) const { return limit(name) / "permits"; }
    // The name of a queue's own limit. A job cannot ask for it, because names contain no colon.
    static QByteArray limitOfQueue(const QByteArray &queue) { return "queue:" + queue; }
    zk::Path gangs() const { return m_root / "gangs"; }
    zk::Path gang(const JobId &id, int round) const
    {
        return gangs() / (id.array().bytes() + ':' + QByteArray::number(round));
    }
    zk::Path elections() const { return m_root / "elections"; }
    zk::Path election(const QByteArray &name) const { return elections() / name; }
    zk::Path barriers() const { return m_root / "barriers"; }
    zk::Path barrier(const QByteArray &name) const { return barriers() / name; }
    zk::Path doubleBarriers() const { return m_root / "double-barriers"; }
    zk::Path doubleBarrier(const QByteArray &name) const { return doubleBarriers() / name; }
    zk::Path groups() const { return m_root / "groups"; }
    zk::Path group(const QByteArray &name) const { return groups() / name; }
    zk::Path settings() const { return m_root / "settings"; }
    zk::Path setting(const QByteArray &key) const { return settings() / key; }
    zk::Path counters() const { return m_root / "counters"; }
    zk::Path counter(const QByteArray &name) const { return counters() / name; }
    zk::Path items() const { return m_root / "items"; }
    zk::Path items(const QByteArray &name) const { return items() / name; }

    zk::Path throttle() const { return m_root / "throttle"; }
    zk::Path backpressure() const { return throttle() / "claims"; }

    zk::Path historyLock() const { return m_root / "history" / "lock"; }

    zk::Path files() const { return m_root / "files"; }
    zk::Path file(const QString &path) const { return files() / hash(path); }

private:
    static QByteArray hash(const QString &text)
    {
        return QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex();
    }

    QByteArray m_clusterName;
    zk::Path m_root;
};

} // namespace drover::jobs
