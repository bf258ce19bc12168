#pragma once

#include "gui/data/job_order.h"
#include "gui/data/snapshots.h"
#include "gui/rows/queue_flow.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/model/claim.h"
#include "jobs/model/layout.h"

#include <QHash>
#include <QSet>

#include <map>

namespace drover::gui {

// Puts the jobs of a cluster together from its listings, from the nodes that were read and from the history. It shows
// MaxRows at most, and of the history what was asked for, if that is more than MaxEnded. Running jobs come first, then
// waiting jobs in order of dispatch, then the newest that have ended. What a search has found comes before the others
// of its kind. It does no I/O.
class JobTable
{
public:
    static constexpr std::size_t MaxRows = 2000;
    static constexpr std::size_t MaxEnded = 500; // rows kept for ended jobs, however many jobs wait
    static constexpr qsizetype MaxFound = 500; // unfinished jobs that a search brings in

    struct ClaimRead {
        jobs::Claim claim;
        qint64 since = 0;
        QString malformed;
    };

    void setQueues(const QByteArrayList &names); // forgets all other queues
    void setQueue(const QByteArray &queue, const QByteArrayList &names);
    void setClaims(QHash<jobs::JobId, ClaimRead> claims);
    bool setDone(const QByteArrayList &names); // whether some have gone since the last call
    void setPast(const PastSnapshot &past);
    void setSettings(const QByteArray &queue, const jobs::QueueSettings &settings) { m_settings[queue] = settings; }
    void search(const jobs::JobFilter &filter); // empty: no search
    void sort(const JobOrder &order) { m_order = order; } // of the history's jobs

    // Chooses the rows, and drops what was read about all other jobs.
    void arrange();

    // The nodes to read before the shown rows are complete, at most `limit`, in the order of the rows.
    struct Unread {
        jobs::JobId id;
        zk::Path path;
        bool ended = false;
        int priority = 0;
    };
    std::vector<Unread> unread(const jobs::Layout &layout, std::size_t limit) const;
    void read(const Unread &what, const zk::Node &node);
    // The nodes that the search has still to read, at most `limit`: those of the unfinished jobs that are not shown.
    std::vector<Unread> unsearched(const jobs::Layout &layout, std::size_t limit) const;
    void searched(const Unread &what, const zk::Answer<zk::Node> &node);
    // The shown jobs that wait for a worker, at most `limit`, and what each of them waits for: whether that is new.
    std::vector<std::pair<jobs::JobId, jobs::QueueEntry>> unclaimed(std::size_t limit) const;
    bool setReasons(const QHash<jobs::JobId, QString> &reasons);

    JobsSnapshot snapshot() const;
    // Jobs, not tasks, that have failed since then and are in done/, of those that were read.
    QList<jobs::JobId> failedSince(std::chrono::milliseconds begin) const;
    // Whether it is among those that the history has counted as failed lately.
    bool isCounted(const jobs::JobId &failed) const { return m_past.failedInDone.contains(failed); }
    QList<QueueDepth> depths() const;
    // By worker.
    QMap<QString, WorkerLoad> loads() const;

private:
    struct Shown {
        jobs::JobId id;
        std::optional<jobs::QueueEntry> entry; // empty if the job has ended
        bool wanted = false; // by the search
    };
    // The ready job of a queue with the lowest number. It is read although the table may have no room for it.
    struct Oldest {
        jobs::QueueEntry entry;
        qint64 since = 0; // 0: it has not been read yet
    };

    void findOldest();
    bool isOfEarlierCluster(const JobRow &past) const;
    JobRow rowOf(const Shown &shown) const;
    bool isWanted(const jobs::JobId &id) const;
    bool awaitsWorker(const Shown &shown) const;
    bool isPaused(const QByteArray &queue) const;
    QueueDepth depthOf(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries) const;
    jobs::JobState stateOf(const jobs::JobId &id, const jobs::QueueEntry &entry) const;

    std::map<QByteArray, std::vector<jobs::QueueEntry>> m_queues;
    std::map<QByteArray, QueueFlow> m_flows; // by queue
    std::map<QByteArray, Oldest> m_oldest; // by queue, of those with a ready job
    QHash<jobs::JobId, ClaimRead> m_claims;
    std::vector<jobs::JobId> m_done; // newest first
    std::vector<Shown> m_shown;
    QHash<jobs::JobId, JobRow> m_unfinished; // read from the nodes in the queues
    QHash<jobs::JobId, QString> m_reasons; // what they wait for, of those that unclaimed() returned a moment ago
    QHash<jobs::JobId, JobRow> m_ended; // read from the final records
    PastSnapshot m_past;
    JobOrder m_order; // of `m_past`
    QHash<jobs::JobId, JobRow> m_pastRows; // by job
    std::map<QByteArray, jobs::QueueSettings> m_settings; // of the queues, as far as they are known
    jobs::JobFilter m_filter; // of the search
    QSet<jobs::JobId> m_found; // unfinished jobs that contain it
    QSet<jobs::JobId> m_searched; // unfinished jobs that do not
    std::vector<Shown> m_arrays; // unfinished; reading one shows whether it has begun
    JobsSnapshot m_counts; // of the other unfinished jobs; no rows
};

} // namespace drover::gui
