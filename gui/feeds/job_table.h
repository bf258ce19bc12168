#pragma once

#include "gui/feeds/snapshots.h"
#include "jobs/layout.h"

#include <QHash>
#include <QSet>

#include <map>

namespace drover::gui {

// The jobs of a cluster put together from its listings, and what has been read about those that are shown: at most
// MaxRows, the running ones first, then the next in order of dispatch, then the newest that have ended. No I/O here.
class JobTable
{
public:
    static constexpr std::size_t MaxRows = 2000;
    static constexpr std::size_t MaxEnded = 500; // kept for ended jobs however many wait

    struct ClaimRead {
        jobs::Claim claim;
        qint64 since = 0;
        QString malformed;
    };

    void setQueues(const QByteArrayList &names); // forgets the others
    void setQueue(const QByteArray &queue, const QByteArrayList &names);
    void setClaims(QHash<jobs::JobId, ClaimRead> claims);
    void setDone(const QByteArrayList &names);

    // Chooses what is shown and drops what was read about others.
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

    JobsSnapshot snapshot() const;
    QList<QueueDepth> depths() const;
    // The running jobs of each worker, sorted.
    QMap<QString, QStringList> running() const;

private:
    struct Shown {
        jobs::JobId id;
        std::optional<jobs::QueueEntry> entry; // none: it has ended
    };

    JobRow rowOf(const Shown &shown) const;
    jobs::JobState stateOf(const jobs::JobId &id, const jobs::QueueEntry &entry) const;

    std::map<QByteArray, std::vector<jobs::QueueEntry>> m_queues;
    QHash<jobs::JobId, ClaimRead> m_claims;
    std::vector<jobs::JobId> m_done; // newest first
    std::vector<Shown> m_shown;
    QHash<jobs::JobId, JobRow> m_unfinished; // what the nodes in the queues said
    QHash<jobs::JobId, JobRow> m_ended; // what the final records said
    std::vector<Shown> m_arrays; // unfinished; which of them have begun is known once they are read
    JobsSnapshot m_counts; // of the other unfinished jobs; no rows
};

} // namespace drover::gui
