#include "app/doctor/cluster_checks.h"

#include "app/cli/units.h"
#include "app/cluster/schedule_trouble.h"
#include "app/doctor/file_checks.h"
#include "app/doctor/number_checks.h"
#include "app/doctor/queue_checks.h"
#include "app/doctor/spool_checks.h"
#include "app/doctor/trust_checks.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/members.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/model/cluster_stats.h"
#include "recipes/elections/leader_latch.h"
#include "text/clock_difference.h"
#include "text/quantity.h"

#include <QSet>

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

struct WorkerPool {
    std::vector<WorkerInfo> workers;
    QSet<QString> queues; // that one of them serves
    QSet<QString> hosts;
    Findings findings; // about single ones
};

void checkClock(WorkerPool &pool, const WorkerInfo &worker, const zk::Stat &stat)
{
    const auto ahead = worker.startedAt - std::chrono::milliseconds(stat.ctime); // it was made when it started
    if (std::chrono::abs(ahead) < text::ClockTolerance)
        return;
    pool.findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                          QStringLiteral("the clock of %1 is %2").arg(worker.host, text::clockDifference(ahead)),
                          QStringLiteral("set it (NTP): times in records and of waiting jobs go by it")});
}

void checkMachine(WorkerPool &pool, const WorkerInfo &worker)
{
    if (!worker.trouble.isEmpty())
        pool.findings.append(
            {Level::Warning, QStringLiteral("worker ") + worker.id,
             QStringLiteral("%1 could not run jobs when it last checked: %2").arg(worker.host, worker.trouble),
             worker.cordon != 0 ? QStringLiteral("mend that before drover worker uncordon %1").arg(worker.id)
                                : QStringLiteral("mend that; it goes on by itself within a minute")});
}

void checkUser(WorkerPool &pool, const WorkerInfo &worker)
{
    if (worker.asRoot)
        pool.findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                              QStringLiteral("runs jobs as root: all who submit jobs are root on %1").arg(worker.host),
                              QStringLiteral("start it as another user, without --allow-root")});
}

void checkProcesses(WorkerPool &pool, const WorkerInfo &worker)
{
    if (worker.unbounded)
        pool.findings.append(
            {Level::Warning, QStringLiteral("worker ") + worker.id,
             QStringLiteral("cannot limit the processes of its jobs: %1 has no control group for it").arg(worker.host),
             QStringLiteral("start it with systemd's Delegate=yes, or let all its jobs --run-as users of their own")});
}

// Signatures that do not fit: of a person whose rights have ended, of a wrong clock, or of an attack. Or its owner's
// policy does not allow what they ask for.
void checkRefused(WorkerPool &pool, const WorkerInfo &worker)
{
    if (worker.refused > 0)
        pool.findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                              QStringLiteral("has refused %1").arg(text::formatCount(worker.refused, "job", "jobs")),
                              QStringLiteral("read why, in its log or with drover ls --all --state failed")});
}

async::Task<WorkerPool> readWorkerPool(jobs::Cluster cluster, bool isForRootAlone)
{
    const std::vector<jobs::StoredMember> members = co_await jobs::readMembers(cluster);
    WorkerPool pool;
    for (const jobs::StoredMember &member : members) {
        if (!member.info) {
            pool.findings.append({Level::Warning, QStringLiteral("member ") + QString::fromUtf8(member.id),
                                  QStringLiteral("is malformed: %1").arg(member.malformed),
                                  QStringLiteral("some other program joined the group: stop it")});
            continue;
        }
        pool.workers.push_back(*member.info);
        pool.hosts.insert(member.info->host);
        for (const QString &queue : member.info->queues)
            pool.queues.insert(queue);
        checkClock(pool, *member.info, member.stat);
        checkMachine(pool, *member.info);
        if (!isForRootAlone)
            checkUser(pool, *member.info);
        checkProcesses(pool, *member.info);
        checkRefused(pool, *member.info);
    }
    co_return pool;
}

// Other machines read output from the worker's own address.
void checkEndpoints(const WorkerPool &pool, Findings &findings)
{
    if (pool.hosts.size() < 2)
        return;
    for (const WorkerInfo &worker : pool.workers) {
        if (isLoopback(worker.endpoint))
            findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                             QStringLiteral("serves the output of its jobs to %1 alone").arg(worker.host),
                             QStringLiteral("start it with --listen and an address that the other machines reach")});
    }
}

Finding aboutWorkers(const WorkerPool &pool)
{
    const QString subject = QStringLiteral("workers");
    if (pool.workers.empty())
        return {Level::Problem, subject, QStringLiteral("there is none: nothing runs"),
                QStringLiteral("start one: drover worker")};
    qint64 slotCount = 0;
    QSet<QString> versions;
    for (const WorkerInfo &worker : pool.workers) {
        slotCount += worker.slotCount;
        versions.insert(worker.version);
    }
    const QString what = QStringLiteral("%1 with %2 on %3")
                             .arg(text::formatCount(static_cast<qint64>(pool.workers.size()), "worker", "workers"),
                                  text::formatCount(slotCount, "slot", "slots"),
                                  text::formatCount(pool.hosts.size(), "machine", "machines"));
    if (versions.size() > 1)
        return {
            Level::Warning, subject,
            QStringLiteral("%1, of versions %2").arg(what, QStringList(versions.values()).join(QStringLiteral(", "))),
            QStringLiteral("finish the upgrade: stop the old ones one after the other")};
    return {Level::Ok, subject, what};
}

// A history in a file belongs to one machine, unless all of them see that file.
void checkHistoryPlaces(const WorkerPool &pool, Findings &findings)
{
    QSet<QString> files; // of single machines
    QSet<QString> places; // for all machines
    bool someKeepNone = false;
    bool someKeepOne = false;
    for (const WorkerInfo &worker : pool.workers) {
        (worker.history.isEmpty() ? someKeepNone : someKeepOne) = true;
        if (worker.history.startsWith(u"postgresql:") || worker.history.startsWith(u"shared:"))
            places.insert(worker.history);
        else if (!worker.history.isEmpty())
            files.insert(worker.history);
    }
    const QString subject = QStringLiteral("history");
    const QString one =
        QStringLiteral("keep one for all: drover history keep --in postgresql://..., or shared:/FILE on storage that "
                       "all of them see, and start the workers again without --history");
    if (files.size() > 1)
        findings.append({Level::Warning, subject,
                         QStringLiteral("workers would keep it in %1 files, each a part: a master does not know what "
                                        "another has archived, and jobs that wait for such a job go on waiting")
                             .arg(files.size()),
                         one});
    if (places.size() > 1 || (!places.isEmpty() && !files.isEmpty()))
        findings.append({Level::Warning, subject,
                         QStringLiteral("workers keep it in different places: each holds what one of them has "
                                        "archived as master"),
                         one});
    if (someKeepNone && someKeepOne)
        findings.append({Level::Warning, subject,
                         QStringLiteral("some workers keep one and some do not: it has gaps when those are master"),
                         QStringLiteral("start all workers with the same --history")});
    if (someKeepNone && !someKeepOne)
        findings.append({Level::Warning, subject, QStringLiteral("none is kept: the oldest records are deleted"),
                         QStringLiteral("say where with drover history keep --in, and start the workers again")});
}

QString progressOf(const jobs::ClusterStats::Archive &archive)
{
    if (!archive.backlog)
        return QStringLiteral("the master is new and looks what is in it");
    if (*archive.backlog == 0)
        return QStringLiteral("every final record is in it");
    return QStringLiteral("%1 not in it yet").arg(text::formatCount(*archive.backlog, "record", "records"));
}

// What is left of "the history X fails: why" behind the subject "history X".
QString withoutSubject(const QString &error, const QString &subject)
{
    const QString prefix = QStringLiteral("the %1 fails: ").arg(subject);
    return error.startsWith(prefix) ? error.mid(prefix.size()) : error;
}

void checkArchive(const jobs::ClusterStats::Archive &archive, Findings &findings)
{
    const QString subject = QStringLiteral("history ") + archive.history;
    if (!archive.error.isEmpty())
        findings.append(
            {Level::Problem, subject,
             QStringLiteral("fails since %1: %2; %3")
                 .arg(formatTime(archive.failingSince), withoutSubject(archive.error, subject),
                      text::formatCount(archive.backlog.value_or(0), "record waits", "records wait")),
             QStringLiteral("mend the database: jobs go on until done_limit records wait in ZooKeeper, then "
                            "claims pause")});
    if (archive.pausedSince.count() > 0)
        findings.append({Level::Problem, QStringLiteral("claims"),
                         QStringLiteral("no job is claimed since %1: too many records wait for the history")
                             .arg(formatTime(archive.pausedSince)),
                         QStringLiteral("mend the database, and claims go on by themselves; to lose the oldest records "
                                        "instead: drover history keep --when-away drop")});
    if (archive.lost > 0)
        findings.append({Level::Problem, subject,
                         QStringLiteral("%1 records were deleted before they were in it").arg(archive.lost),
                         QStringLiteral("keep more of them: drover cluster limits --done-limit N")});
    if (archive.aside > 0)
        findings.append(
            {Level::Warning, subject,
             QStringLiteral("the master cannot read %1 (no permission, or a newer format): it archives the others")
                 .arg(text::formatCount(archive.aside, "final record", "final records")),
             QStringLiteral("let everybody read the nodes in done/; start the workers again with the newest drover")});
    if (archive.error.isEmpty() && archive.lost == 0 && archive.aside == 0)
        findings.append({Level::Ok, subject, progressOf(archive)});
}

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

void checkQueue(const QString &queue, const zk::Stat &stat, const WorkerPool &pool, qint64 limit, Findings &findings)
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
async::Task<Findings> findStopped(jobs::Cluster cluster, WorkerPool pool, QByteArrayList queues)
{
    Findings findings;
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
    co_return findings;
}

// What recurs and does not.
async::Task<Findings> findLateSchedules(jobs::Cluster cluster, jobs::ClusterConfig config)
{
    Findings findings;
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
    co_return findings;
}

async::Task<Finding> aboutMaster(jobs::Cluster cluster, bool hasWorkers)
{
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    const QString subject = QStringLiteral("master");
    if (leader)
        co_return Finding{Level::Ok, subject, QString::fromUtf8(leader->data)};
    if (!hasWorkers)
        co_return Finding{Level::Warning, subject, QStringLiteral("there is none, for want of workers"), {}};
    co_return Finding{Level::Problem, subject, QStringLiteral("there is none: jobs that wait are never made ready"),
                      QStringLiteral("look into the workers' logs")};
}

async::Task<Finding> aboutAccess(jobs::Cluster cluster)
{
    const QString subject = QStringLiteral("access");
    const std::optional<bool> open = co_await jobs::isOpen(cluster);
    if (open.value_or(false))
        co_return Finding{
            Level::Warning, subject,
            QStringLiteral("open: all who reach ZooKeeper can run commands as the workers' users"),
            QStringLiteral("let a firewall keep others away, or close the cluster (drover cluster secure)")};
    co_return Finding{Level::Ok, subject, QStringLiteral("closed: clients need credentials")};
}

} // namespace

async::Task<Findings> checkCluster(jobs::Cluster cluster, bool isForRootAlone)
{
    Findings findings;
    const async::TimePoint asked = cluster.zk.loop().now();
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster);
    const auto roundTrip = std::chrono::duration_cast<std::chrono::milliseconds>(cluster.zk.loop().now() - asked);
    const QString answers = QStringLiteral("the server answers in %1 ms").arg(roundTrip.count());
    if (roundTrip > SlowRoundTrip)
        findings.append({Level::Warning, QStringLiteral("session"), answers,
                         QStringLiteral("look at the network and at the server's load")});
    else
        findings.append({Level::Ok, QStringLiteral("session"), answers});

    const Finding access = co_await aboutAccess(cluster);
    findings.append(access);

    const WorkerPool pool = co_await readWorkerPool(cluster, isForRootAlone);
    findings.append(aboutWorkers(pool));
    findings.append(pool.findings);
    const Finding master = co_await aboutMaster(cluster, !pool.workers.empty());
    findings.append(master);

    QByteArrayList queues = co_await jobs::queueNames(cluster);
    queues.resize(std::min(queues.size(), jobs::MaxQueues)); // the master says so if there are more
    for (const QByteArray &queue : queues) {
        const Answer<zk::Stat> stat = co_await cluster.zk.exists(cluster.layout.queue(queue));
        if (stat.ok())
            checkQueue(QString::fromUtf8(queue), *stat, pool, config.queueLimit, findings);
    }
    Findings stuck = co_await findStuckJobs(cluster, queues);
    const Findings usedUp = co_await findUsedUpNumbers(cluster, queues);
    stuck += usedUp;
    findings.removeIf([&](const Finding &known) {
        return known.level == Level::Ok
            && std::any_of(stuck.begin(), stuck.end(), [&](const Finding &f) { return f.subject == known.subject; });
    });
    findings.append(stuck);
    const Findings files = co_await checkFiles(cluster);
    findings.append(files);
    const Findings spools = co_await checkSpools(cluster.zk.loop(), pool.workers);
    findings.append(spools);
    const Findings stopped = co_await findStopped(cluster, pool, queues);
    findings.append(stopped);
    const Findings late = co_await findLateSchedules(cluster, config);
    findings.append(late);

    const Answer<zk::Stat> done = co_await cluster.zk.exists(cluster.layout.done());
    const bool trims = config.dropWhenAway
        || std::none_of(pool.workers.begin(), pool.workers.end(),
                        [](const WorkerInfo &worker) { return !worker.history.isEmpty(); });
    if (done.ok() && static_cast<double>(done->numChildren) > NearlyFull * static_cast<double>(config.doneLimit))
        findings.append({Level::Warning, QStringLiteral("final records"),
                         QStringLiteral("%1 of at most %2").arg(done->numChildren).arg(config.doneLimit),
                         trims ? QStringLiteral("keep a history, or mend it; the oldest are deleted at the limit")
                               : QStringLiteral("if the history fails, mend it; claims pause at the limit")});
    checkHistoryPlaces(pool, findings);
    checkEndpoints(pool, findings);
    const Answer<zk::Node> stats = co_await cluster.zk.get(cluster.layout.stats());
    try {
        const jobs::ClusterStats summary = stats.ok() ? jobs::ClusterStats::decode(stats->data) : jobs::ClusterStats();
        if (summary.archive)
            checkArchive(*summary.archive, findings);
        checkDuties(summary, findings);
    } catch (const jobs::Malformed &error) {
        findings.append({Level::Warning, QStringLiteral("statistics"),
                         QStringLiteral("are malformed: %1").arg(QString::fromUtf8(error.what())),
                         QStringLiteral("the master writes them anew when something changes")});
    }
    co_return findings;
}

} // namespace drover::app
