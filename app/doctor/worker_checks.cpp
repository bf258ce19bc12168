#include "app/doctor/checks.h"
#include "app/doctor/trust_checks.h"
#include "jobs/cluster/members.h"
#include "text/clock_difference.h"
#include "text/quantity.h"

namespace drover::app {

using Level = Finding::Level;
using jobs::WorkerInfo;

namespace {

void checkClock(Findings &findings, const WorkerInfo &worker, const zk::Stat &stat)
{
    const auto ahead = worker.startedAt - std::chrono::milliseconds(stat.ctime); // it was made when it started
    if (std::chrono::abs(ahead) < text::ClockTolerance)
        return;
    findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                     QStringLiteral("the clock of %1 is %2").arg(worker.host, text::clockDifference(ahead)),
                     QStringLiteral("set it (NTP): times in records and of waiting jobs go by it")});
}

void checkMachine(Findings &findings, const WorkerInfo &worker)
{
    if (!worker.trouble.isEmpty())
        findings.append(
            {Level::Warning, QStringLiteral("worker ") + worker.id,
             QStringLiteral("%1 could not run jobs when it last checked: %2").arg(worker.host, worker.trouble),
             worker.cordon != 0 ? QStringLiteral("mend that before drover worker uncordon %1").arg(worker.id)
                                : QStringLiteral("mend that; it goes on by itself within a minute")});
}

void checkUser(Findings &findings, const WorkerInfo &worker)
{
    if (worker.asRoot)
        findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                         QStringLiteral("runs jobs as root: all who submit jobs are root on %1").arg(worker.host),
                         QStringLiteral("start it as another user, without --allow-root")});
}

void checkProcesses(Findings &findings, const WorkerInfo &worker)
{
    if (worker.unbounded)
        findings.append(
            {Level::Warning, QStringLiteral("worker ") + worker.id,
             QStringLiteral("cannot limit the processes of its jobs: %1 has no control group for it").arg(worker.host),
             QStringLiteral("start it with systemd's Delegate=yes, or let all its jobs --run-as users of their own")});
}

// Signatures that do not fit: of a person whose rights have ended, of a wrong clock, or of an attack. Or its owner's
// policy does not allow what they ask for.
void checkRefused(Findings &findings, const WorkerInfo &worker)
{
    if (worker.refused > 0)
        findings.append({Level::Warning, QStringLiteral("worker ") + worker.id,
                         QStringLiteral("has refused %1").arg(text::formatCount(worker.refused, "job", "jobs")),
                         QStringLiteral("read why, in its log or with drover ls --all --state failed")});
}

} // namespace

async::Task<DescribedWorkers> checkWorkers(jobs::Cluster cluster, bool isForRootAlone, Findings &findings)
{
    const std::vector<jobs::StoredMember> members = co_await jobs::readMembers(cluster);
    DescribedWorkers pool;
    for (const jobs::StoredMember &member : members) {
        if (!member.info) {
            findings.append({Level::Warning, QStringLiteral("member ") + QString::fromUtf8(member.id),
                             QStringLiteral("is malformed: %1").arg(member.malformed),
                             QStringLiteral("some other program joined the group: stop it")});
            continue;
        }
        pool.workers.push_back(*member.info);
        pool.hosts.insert(member.info->host);
        for (const QString &queue : member.info->queues)
            pool.queues.insert(queue);
        checkClock(findings, *member.info, member.stat);
        checkMachine(findings, *member.info);
        if (!isForRootAlone)
            checkUser(findings, *member.info);
        checkProcesses(findings, *member.info);
        checkRefused(findings, *member.info);
    }
    co_return pool;
}

void checkEndpoints(const DescribedWorkers &pool, Findings &findings)
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

Finding aboutWorkers(const DescribedWorkers &pool)
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
            QStringLiteral("finish the upgrade, one after the other: drover worker drain NAME, and start the new one "
                           "in its place")};
    return {Level::Ok, subject, what};
}

} // namespace drover::app
