#pragma once

#include "gui/data/given_credentials.h"
#include "gui/feeds/cluster_changes.h"
#include "gui/feeds/ensemble_feed.h"
#include "gui/feeds/events_feed.h"
#include "gui/feeds/job_actions.h"
#include "gui/feeds/job_feed.h"
#include "gui/feeds/lock_feed.h"
#include "gui/feeds/master_feed.h"
#include "gui/feeds/output_feed.h"
#include "gui/feeds/past_jobs.h"
#include "gui/feeds/schedule_feed.h"
#include "gui/feeds/worker_feed.h"
#include "gui/feeds/znode_edits.h"
#include "gui/feeds/znode_feed.h"
#include "gui/feeds/znode_search.h"

#include <functional>
#include <vector>

namespace drover::gui {

// A session of the console, and whose it is in that cluster.
struct OpenedSession {
    std::unique_ptr<zk::Client> zk;
    std::shared_ptr<const trust::Credentials> credentials{}; // null: the cluster must be open
    QString passwordUser{}; // of ZooKeeper, whose password it has instead; or empty
};

// Opens a session with the credentials that the user has given, and without any with those of the target's cluster.
// Tests give it an in-memory ZooKeeper. May throw; the message is shown.
using SessionSource = std::function<OpenedSession(async::Loop &, const Target &, const GivenCredentials &)>;

// Keeps a ZooKeeper session for the console and attaches the feeds to it; replaces a session that is lost. It makes no
// other one when the servers refuse the authentication itself: they would refuse it each time. It lives on the thread
// of `loop`. Models on other threads connect to its signals.
class ConsoleSession final : public QObject
{
    Q_OBJECT

public:
    // That one session should have: the feeds share them. The server takes them all again after a reconnection.
    static constexpr int WatchBudget = 5000;

    ConsoleSession(async::Loop &loop, SessionSource source, HistoryPlace history = {});
    ~ConsoleSession() override;

    ZnodeFeed &znodes() { return m_znodes; }
    JobFeed &jobs() { return m_jobs; }
    WorkerFeed &workers() { return m_workers; }
    LockFeed &locks() { return m_locks; }
    JobActions &actions() { return m_actions; }
    ClusterChanges &changes() { return m_changes; }
    MasterFeed &master() { return m_master; }
    OutputFeed &output() { return m_output; }
    PastJobs &past() { return m_past; }
    EnsembleFeed &ensemble() { return m_ensemble; }
    EventsFeed &events() { return m_events; }
    ZnodeEdits &znodeEdits() { return m_znodeEdits; }
    ZnodeSearch &znodeSearch() { return m_znodeSearch; }
    ScheduleFeed &schedules() { return m_schedules; }

public Q_SLOTS:
    void open(const drover::gui::Target &target, const drover::gui::GivenCredentials &given = {});
    void close();

Q_SIGNALS:
    void statusChanged(const drover::gui::SessionStatus &status);
    void watchesChanged(int watches);
    // How long the last answer took, asked for every few seconds while connected.
    void latencyMeasured(std::chrono::microseconds latency);

private:
    async::Task<void> run();
    async::Task<void> oneLife();
    async::Task<void> reportWatches();
    async::Task<void> lookAround();
    async::Task<ClusterAccess> access();
    void showAccess(ClusterAccess access);
    void follow(zk::Client::State state);
    void attachAll(const std::shared_ptr<const trust::Credentials> &credentials);
    void endSession();
    void report(SessionStatus::Phase phase, const QString &trouble = {});
    void explainSilence();
    std::vector<Feed *> feeds();

    async::Loop &m_loop;
    SessionSource m_source;
    GivenCredentials m_given;
    SessionStatus m_status;
    ZnodeFeed m_znodes;
    JobFeed m_jobs;
    WorkerFeed m_workers;
    LockFeed m_locks;
    PastJobs m_past;
    JobActions m_actions{m_past};
    ClusterChanges m_changes;
    MasterFeed m_master;
    OutputFeed m_output;
    EnsembleFeed m_ensemble;
    EventsFeed m_events;
    ZnodeSearch m_znodeSearch;
    ScheduleFeed m_schedules;
    ZnodeEdits m_znodeEdits;
    std::unique_ptr<zk::Client> m_zk;
    async::Timer m_patience;
    std::unique_ptr<async::TaskGroup> m_tasks;
};

} // namespace drover::gui
