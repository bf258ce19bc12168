#pragma once

#include "gui/feeds/feed.h"
#include "gui/feeds/job_table.h"

namespace drover::gui {

// The jobs of the cluster and the depth of its queues. Watches: config, claims/, done/, queues/ and one for each queue;
// never one for a job. A job's node is read once, claims (those of jobs that wait at their workers, too) with each change
// of them.
class JobFeed final : public Feed
{
    Q_OBJECT

public:
    // Nodes read between two snapshots: a first look at a full cluster arrives in steps.
    static constexpr std::size_t ReadsAtATime = 512;
    static constexpr std::size_t MaxClaims = 5000; // read; the jobs of others show as ready

    int watches() const override { return m_watches; }

Q_SIGNALS:
    void jobsChanged(const drover::gui::JobsSnapshot &jobs);
    void depthsChanged(const QList<drover::gui::QueueDepth> &depths);
    void runningChanged(const QMap<QString, QStringList> &jobsByWorker);

protected:
    void begin() override;
    void end() override;

private:
    async::Task<void> followConfig();
    async::Task<void> followQueues();
    async::Task<void> followQueue(QByteArray queue);
    async::Task<void> followClaims();
    async::Task<void> followDone();
    async::Task<void> readClaims();
    async::Task<void> publish();
    async::Task<void> refresh();
    async::Task<void> readUnread();
    void updateQueues(const QByteArrayList &queues);

    int m_watches = 0;
    bool m_exists = false;
    JobTable m_table;
    QByteArrayList m_claimNames;
    bool m_claimsDirty = false;
    async::Event m_dirty;
    async::Timer m_nextLook; // at the claims
    std::map<QByteArray, std::unique_ptr<async::TaskGroup>> m_queues; // last: they use the rest
};

} // namespace drover::gui
