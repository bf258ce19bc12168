#include "app/doctor/cluster_checks.h"

#include "app/cli/units.h"
#include "app/cluster/schedule_trouble.h"
#include "app/doctor/checks.h"
#include "jobs/client/own_clock.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/queue_settings.h"
#include "recipes/elections/leader_latch.h"
#include "text/clock_difference.h"
#include "text/quantity.h"

#include <algorithm>
#include <map>

namespace drover::app {

using namespace std::chrono_literals;
using Level = Finding::Level;
using jobs::WorkerInfo;
using zk::Answer;

namespace {

constexpr auto SlowRoundTrip = 100ms;
constexpr double NearlyFull = 0.8;

// Duties that fail for one reason are one finding. A duty that fails with the history is part of the finding about it.
void checkDuties(const jobs::ClusterStats &summary, Findings &findings)
{
    std::map<QString, std::pair<std::chrono::milliseconds, QStringList>> byError;
    for (const jobs::ClusterStats::Trouble &trouble : summary.troubles) {
        if (summary.archive && !summary.archive->error.isEmpty() && trouble.error.contains(summary.archive->error))
            continue;
        auto &[since, subjects] = byError.try_emplace(trouble.error, trouble.since, QStringList()).first->second;
        since = std::min(since, trouble.since);
        subjects.append(trouble.subject);
    }
    for (const auto &[error, failing] : byError)
        findings.append({Level::Problem, QStringLiteral("master, ") + failing.second.join(QStringLiteral(", ")),
                         QStringLiteral("fails since %1: %2").arg(formatTime(failing.first), error),
                         QStringLiteral("mend that; the master tries again, and its other duties go on")});
}

void checkQueue(const QString &queue, const zk::Stat &stat, const DescribedWorkers &pool, qint64 limit,
                Findings &findings)
{
    const QString subject = QStringLiteral("queue ") + queue;
    const QString what = text::formatCount(stat.numChildren, "unfinished job", "unfinished jobs");
    if (stat.numChildren > 0 && !pool.workers.empty() && !pool.queues.contains(queue))
        findings.append({Level::Problem, subject, what + QStringLiteral(", and no worker serves it"),
                         QStringLiteral("start one: drover worker --queue %1").arg(queue)});
    else if (static_cast<double>(stat.numChildren) > NearlyFull * static_cast<double>(limit))
        findings.append({Level::Warning, subject, QStringLiteral("%1 of at most %2").arg(what).arg(limit),
                         QStringLiteral("add workers; at the limit submits are refused")});
    else
        findings.append({Level::Ok, subject, what});
}

QString because(const QString &why)
{
    return why.isEmpty() ? QString() : QStringLiteral(": ") + why;
}

// What people have stopped and may have forgotten.
async::Task<void> findStopped(jobs::Cluster cluster, DescribedWorkers pool, QByteArrayList queues, Findings &findings)
{
    for (const WorkerInfo &worker : pool.workers) {
        const std::optional<jobs::Cordon> cordon = co_await jobs::cordonOf(cluster, worker.id.toUtf8());
        if (cordon)
            findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                             QStringLiteral("is cordoned by %1 since %2%3")
                                 .arg(cordon->by, formatTime(cordon->at), because(cordon->why)),
                             QStringLiteral("drover worker uncordon %1").arg(worker.id)});
    }
    for (const QByteArray &queue : queues) {
        const jobs::QueueSettings settings = co_await jobs::queueSettings(cluster, queue);
        const QString name = QString::fromUtf8(queue);
        if (settings.paused)
            findings.append({Level::Warning, QStringLiteral("queue ") + name,
                             QStringLiteral("is paused by %1 since %2%3")
                                 .arg(settings.pausedBy, formatTime(settings.pausedAt), because(settings.why)),
                             QStringLiteral("drover queue resume %1").arg(name)});
    }
}

// What recurs and does not.
async::Task<void> findLateSchedules(jobs::Cluster cluster, jobs::ClusterConfig config, Findings &findings)
{
    const std::vector<jobs::StoredSchedule> schedules = co_await jobs::listSchedules(cluster);
    for (const jobs::StoredSchedule &stored : schedules) {
        const QString trouble = co_await troubleOf(cluster, config, stored, cluster.zk.loop().wallClock());
        const QString name = QString::fromUtf8(stored.name);
        if (!trouble.isEmpty())
            findings.append(
                {Level::Problem, QStringLiteral("schedule ") + name, trouble,
                 QStringLiteral("drover cron show %1; start a worker for its queue, or make room, or drover "
                                "cron pause %1")
                     .arg(name)});
    }
}

async::Task<void> checkMaster(jobs::Cluster cluster, bool hasWorkers, Findings &findings)
{
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    const QString subject = QStringLiteral("master");
    if (leader)
        findings.append({Level::Ok, subject, QString::fromUtf8(leader->data)});
    else if (!hasWorkers)
        findings.append({Level::Warning, subject, QStringLiteral("there is none, for want of workers"), {}});
    else
        findings.append({Level::Problem, subject, QStringLiteral("there is none: jobs that wait are never made ready"),
                         QStringLiteral("look into the workers' logs")});
}

async::Task<void> checkAccess(jobs::Cluster cluster, Findings &findings)
{
    const QString subject = QStringLiteral("access");
    const std::optional<bool> open = co_await jobs::isOpen(cluster);
    if (open.value_or(false))
        findings.append(
            {Level::Warning, subject,
             QStringLiteral("open: all who reach ZooKeeper can run commands as the workers' users"),
             QStringLiteral("let a firewall keep others away, or close the cluster (drover cluster secure)")});
    else
        findings.append({Level::Ok, subject, QStringLiteral("closed: clients need credentials")});
    if (open.value_or(false))
        co_return;
    const std::vector<zk::Path> above = co_await jobs::openAbove(cluster.zk);
    QStringList names;
    for (const zk::Path &path : above)
        names << path.toString();
    if (!names.isEmpty())
        findings.append({Level::Warning, QStringLiteral("nodes above"),
                         QStringLiteral("all clients can make nodes in %1, and so fill the servers' memory")
                             .arg(names.join(QStringLiteral(" and "))),
                         QStringLiteral("if no others use these servers, and once all workers have this version, an "
                                        "administrator closes them: drover cluster secure, which also gives each node "
                                        "the rights of the table; otherwise let a firewall keep others away")});
}

// One look at a cluster, check after check.
class ClusterCheck
{
public:
    ClusterCheck(jobs::Cluster cluster, bool isForRootAlone, Findings &findings)
        : m_cluster(std::move(cluster)), m_isForRootAlone(isForRootAlone), m_findings(findings)
    {
    }

    async::Task<void> run()
    {
        co_await unlessRefused("session", readConfig(), m_findings);
        co_await unlessRefused("clock", checkOwnClock(m_cluster, m_findings), m_findings);
        co_await unlessRefused("access", checkAccess(m_cluster, m_findings), m_findings);
        co_await unlessRefused("workers", readPool(), m_findings);
        co_await unlessRefused("queues", checkQueues(), m_findings);
        co_await unlessRefused("locks and limits", checkSharedNodes(m_cluster, m_findings), m_findings);
        co_await unlessRefused("shared files", checkFiles(m_cluster, m_findings), m_findings);
        const Findings spools = co_await checkSpools(m_cluster.zk.loop(), m_pool.workers);
        m_findings.append(spools);
        co_await unlessRefused("pauses", findStopped(m_cluster, m_pool, m_queues, m_findings), m_findings);
        co_await unlessRefused("schedules", findLateSchedules(m_cluster, m_config, m_findings), m_findings);
        co_await unlessRefused("final records", checkFinalRecords(), m_findings);
        checkHistoryPlaces(m_pool, m_findings);
        checkEndpoints(m_pool, m_findings);
        co_await unlessRefused("statistics", checkStatistics(), m_findings);
    }

private:
    async::Task<void> readConfig()
    {
        const async::TimePoint asked = m_cluster.zk.loop().now();
        const jobs::ClusterConfig config = co_await jobs::readClusterConfig(m_cluster);
        m_config = config;
        const auto roundTrip = std::chrono::duration_cast<std::chrono::milliseconds>(m_cluster.zk.loop().now() - asked);
        const QString answers = QStringLiteral("the server answers in %1 ms").arg(roundTrip.count());
        if (roundTrip > SlowRoundTrip)
            m_findings.append({Level::Warning, QStringLiteral("session"), answers,
                               QStringLiteral("look at the network and at the server's load")});
        else
            m_findings.append({Level::Ok, QStringLiteral("session"), answers});
    }

    // Without the members nothing is said of the master.
    async::Task<void> readPool()
    {
        const DescribedWorkers pool = co_await checkWorkers(m_cluster, m_isForRootAlone, m_findings);
        m_pool = pool;
        m_findings.append(aboutWorkers(pool));
        co_await checkMaster(m_cluster, !pool.workers.empty(), m_findings);
    }

    // A queue with trouble is not called well beside it.
    async::Task<void> checkQueues()
    {
        const QByteArrayList queues = co_await jobs::queueNames(m_cluster);
        m_queues = queues;
        m_queues.resize(std::min(m_queues.size(), jobs::MaxQueues)); // the master says so if there are more
        for (const QByteArray &queue : m_queues) {
            const Answer<zk::Stat> stat = co_await m_cluster.zk.exists(m_cluster.layout.queue(queue));
            if (stat.ok())
                checkQueue(QString::fromUtf8(queue), *stat, m_pool, m_config.queueLimit, m_findings);
        }
        Findings ill;
        QSet<QString> missing = m_pool.queues;
        for (const QByteArray &queue : queues)
            missing.remove(QString::fromUtf8(queue));
        const QByteArrayList readable = co_await findShutQueues(m_cluster, m_queues, missing, ill);
        m_queues = readable;
        co_await unlessRefused("jobs", findStuckJobs(m_cluster, m_queues, ill), ill);
        co_await unlessRefused("jobs", findBlockedJobs(m_cluster, m_queues, ill), ill);
        co_await unlessRefused("sequence numbers", findUsedUpNumbers(m_cluster, m_queues, ill), ill);
        m_findings.removeIf([&](const Finding &known) {
            return known.level == Level::Ok
                && std::ranges::any_of(ill, [&](const Finding &f) { return f.subject == known.subject; });
        });
        m_findings.append(ill);
    }

    async::Task<void> checkFinalRecords()
    {
        const Answer<zk::Stat> done = co_await m_cluster.zk.exists(m_cluster.layout.done());
        const bool trims = m_config.dropWhenAway
            || std::ranges::none_of(m_pool.workers, [](const WorkerInfo &worker) { return !worker.history.isEmpty(); });
        if (done.ok() && static_cast<double>(done->numChildren) > NearlyFull * static_cast<double>(m_config.doneLimit))
            m_findings.append({Level::Warning, QStringLiteral("final records"),
                               QStringLiteral("%1 of at most %2").arg(done->numChildren).arg(m_config.doneLimit),
                               trims ? QStringLiteral("keep a history, or mend it; the oldest are deleted at the limit")
                                     : QStringLiteral("if the history fails, mend it; claims pause at the limit")});
    }

    async::Task<void> checkStatistics()
    {
        const Answer<zk::Node> stats = co_await m_cluster.zk.get(m_cluster.layout.stats());
        try {
            const jobs::ClusterStats summary =
                stats.ok() ? jobs::ClusterStats::decode(stats->data) : jobs::ClusterStats();
            if (summary.archive)
                checkArchive(*summary.archive, m_findings);
            checkDuties(summary, m_findings);
        } catch (const jobs::Malformed &error) {
            m_findings.append({Level::Warning, QStringLiteral("statistics"),
                               QStringLiteral("are malformed: %1").arg(QString::fromUtf8(error.what())),
                               QStringLiteral("the master writes them anew when something changes")});
        }
    }

    jobs::Cluster m_cluster;
    const bool m_isForRootAlone;
    Findings &m_findings;
    jobs::ClusterConfig m_config;
    DescribedWorkers m_pool;
    QByteArrayList m_queues;
};

} // namespace

async::Task<void> unlessRefused(const char *subject, async::Task<void> check, Findings &findings)
{
    try {
        co_await std::move(check);
    } catch (const zk::AccessDenied &error) {
        findings.append({Level::Warning, QString::fromLatin1(subject),
                         QStringLiteral("not all of it could be looked at: %1").arg(QString::fromUtf8(error.what())),
                         QStringLiteral("look with the credentials of an administrator; another program may have made "
                                        "that node, with an ACL of its own")});
    }
}

async::Task<void> checkOwnClock(jobs::Cluster cluster, Findings &findings)
{
    const std::optional<std::chrono::milliseconds> ahead = co_await jobs::ownClockAhead(cluster);
    if (!ahead || std::chrono::abs(*ahead) < text::ClockTolerance)
        co_return;
    findings.append({Level::Warning, QStringLiteral("clock"),
                     QStringLiteral("the clock of this machine is %1").arg(text::clockDifference(*ahead)),
                     QStringLiteral("set it (NTP): workers may refuse jobs that are signed here, and --start-at and "
                                    "the ages in tables go by it")});
}

async::Task<void> checkCluster(jobs::Cluster cluster, bool isForRootAlone, Findings &findings)
{
    ClusterCheck check(std::move(cluster), isForRootAlone, findings);
    co_await check.run();
}

} // namespace drover::app
