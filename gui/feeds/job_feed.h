#pragma once

#include "gui/feeds/feed.h"
#include "gui/feeds/job_table.h"

namespace drover::gui {

// Follows the jobs of the cluster, and the depth and settings of its queues. It watches config, claims/, done/, queues/
// and each queue with its settings, never a single job. It reads a job's node once, and the claims after each change of
// claims/. A search reads the nodes of the unfinished jobs that are not shown. While shown jobs wait for a worker, it
// asks every few seconds what for, with the reads of `drover ls`.
class JobFeed final : public Feed
{
    Q_OBJECT

public:
    // Nodes that are read between two snapshots: the first listing of a full cluster arrives in steps.
    static constexpr std::size_t ReadsAtATime = 512;
    static constexpr std::size_t MaxClaims = 5000; // that are read; jobs with further claims show as ready
    static constexpr std::size_t MaxExplained = 200; // jobs that wait for a worker; others show no reason

    int watches() const override { return m_watches; }
    void clear() override;

public Q_SLOTS:
    void search(const drover::gui::JobSearch &search);
    void sort(const drover::gui::JobOrder &order); // as PastJobs::sort()
    void showPast(const drover::gui::PastSnapshot &past);
    void awaitPast(); // the user has scrolled: what the history sends next is shown without delay

Q_SIGNALS:
    void archived(); // jobs have left done/
    void failedInDone(const QList<drover::jobs::JobId> &jobs); // of the last 24 hours, each time that they change

    void jobsChanged(const drover::gui::JobsSnapshot &jobs);
    void depthsChanged(const QList<drover::gui::QueueDepth> &depths);
    void loadsChanged(const QMap<QString, drover::gui::WorkerLoad> &loads);

protected:
    void begin() override;
    void end() override;

private:
    async::Task<void> followConfig();
    async::Task<void> followQueues();
    async::Task<void> followQueue(QByteArray queue);
    async::Task<void> followSettings(QByteArray queue);
    async::Task<void> followClaims();
    async::Task<void> followDone();
    async::Task<void> readClaims();
    async::Task<void> publish();
    async::Task<void> refresh();
    async::Task<void> readUnread();
    async::Task<void> searchOn();
    async::Task<void> followReasons();
    async::Task<QHash<jobs::JobId, QString>> readReasons();
    void report();
    void updateQueues(const QByteArrayList &queues);

    int m_watches = 0;
    bool m_exists = false;
    JobTable m_table;
    jobs::JobFilter m_search;
    JobOrder m_order;
    QList<jobs::JobId> m_failed; // that failedInDone() had last
    QByteArrayList m_claimNames;
    bool m_claimsDirty = false;
    bool m_awaitsPast = false; // what the history has of a new search, order or page is shown without delay
    async::Event m_dirty;
    async::Timer m_nextLook; // when the claims are read next
    std::map<QByteArray, std::unique_ptr<async::TaskGroup>> m_queues; // last: the groups use the members above
};

} // namespace drover::gui
