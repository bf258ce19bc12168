#include "app/doctor/checks.h"
#include "jobs/client/job_lookup.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/rights.h"
#include "jobs/explain/gang_view.h"
#include "jobs/explain/reasons.h"
#include "jobs/explain/why_blocked.h"
#include "recipes/blocks/persistent.h"
#include "text/quantity.h"

#include <algorithm>

namespace drover::app {

using jobs::JobId;
using jobs::JobView;
using jobs::QueueEntry;
using Level = Finding::Level;
using zk::Answer;

namespace {

constexpr qsizetype MostJobs = 64; // of a queue
constexpr std::size_t MostOldest = 256; // of a queue

// The first of these in the order of dispatch.
async::Task<std::vector<JobView>> readFirst(jobs::Cluster cluster, QByteArray queue, std::vector<QueueEntry> entries)
{
    std::sort(entries.begin(), entries.end());
    std::vector<std::pair<JobId, QueueEntry>> first;
    for (const QueueEntry &entry : entries) {
        if (first.size() < MostJobs)
            first.emplace_back(entry.idIn(queue), entry);
    }
    co_return co_await jobs::readEntries(cluster, std::move(first));
}

std::vector<QueueEntry> arraysAmong(const QByteArrayList &names)
{
    std::vector<QueueEntry> arrays;
    for (const QByteArray &name : names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (entry && entry->jobClass == QueueEntry::Class::Array)
            arrays.push_back(*entry);
    }
    return arrays;
}

std::vector<QueueEntry> oldestAmong(const QByteArrayList &names)
{
    std::vector<QueueEntry> entries;
    for (const QByteArray &name : names) {
        if (const std::optional<QueueEntry> entry = QueueEntry::parse(name))
            entries.push_back(*entry);
    }
    const auto isOlder = [](const QueueEntry &a, const QueueEntry &b) {
        return std::pair(a.number, a.task) < std::pair(b.number, b.task);
    };
    const auto end = entries.begin() + std::ptrdiff_t(std::min(entries.size(), MostOldest));
    std::partial_sort(entries.begin(), end, entries.end(), isOlder);
    entries.erase(end, entries.end());
    return entries;
}

// What keeps some jobs of a queue for good, as the first of them says.
struct Stuck {
    qint64 count = 0;
    QString first;
    std::optional<jobs::Reason> why{};

    void add(const JobId &job, const std::optional<jobs::Reason> &reason)
    {
        if (!reason || ++count > 1)
            return;
        first = job.toString();
        why = reason;
    }
    Finding finding(const QByteArray &queue, const QString &verdict) const
    {
        return {Level::Problem, QStringLiteral("queue ") + QString::fromUtf8(queue),
                QStringLiteral("%1, beginning with %2: %3").arg(verdict, first, why->what),
                why->advice.isEmpty() ? QStringLiteral("drover why %1").arg(first) : why->advice};
    }
};

std::optional<jobs::Reason> whyNoWorkerRuns(const jobs::WorkerPool &pool, const JobView &job)
{
    if (!job.spec)
        return jobs::whyTooNew(job);
    return job.claim ? std::nullopt : jobs::whyUnfit(pool, *job.spec);
}

async::Task<Stuck> stuckGangs(jobs::Cluster cluster, std::vector<JobView> arrays, jobs::WorkerPool pool)
{
    Stuck stuck;
    for (const JobView &array : arrays) {
        const bool isUnfit = !array.spec || array.spec->gang == 0 || jobs::whyUnfit(pool, *array.spec);
        if (isUnfit)
            continue; // no gang, or of no use to it
        const std::optional<jobs::Reason> why =
            co_await jobs::whyGangNeverBegins(cluster, *array.spec, pool.available());
        stuck.add(array.id, why);
    }
    co_return stuck;
}

// `reasons` are in the order of the entries.
void addStuck(const QByteArray &queue, const std::vector<QueueEntry> &entries,
              const std::vector<std::optional<jobs::Reason>> &reasons, const QString &verdict, Findings &findings)
{
    Stuck stuck;
    for (std::size_t i = 0; i < entries.size(); ++i)
        stuck.add(entries[i].idIn(queue), reasons[i]);
    if (stuck.count > 0)
        findings.append(stuck.finding(queue, verdict.arg(text::formatCount(stuck.count, "job", "jobs"))));
}

Finding aboutShutQueue(const QByteArray &queue, const QString &why, bool isClosed)
{
    return {Level::Problem, QStringLiteral("queue ") + QString::fromUtf8(queue),
            QStringLiteral("it cannot be read: %1").arg(why),
            isClosed ? QStringLiteral("look with the credentials of an administrator; drover cluster secure gives it "
                                      "the rights of other queues")
                     : QStringLiteral("let all clients read it again; until then workers claim nothing from it")};
}

Finding aboutKeptWorkers(const QByteArray &queue, bool isClosed)
{
    return {Level::Problem, QStringLiteral("queue ") + QString::fromUtf8(queue),
            QStringLiteral("its ACL keeps workers from it: none claims its jobs"),
            isClosed ? QStringLiteral("an administrator gives it the rights of other queues: drover cluster secure")
                     : QStringLiteral("let all clients read and change it again")};
}

// By the table, which knows what workers need. False if the queue is not there.
bool keepsWorkersOut(const jobs::Cluster &cluster, const zk::Path &queue, const Answer<zk::AclOfNode> &answer)
{
    const qint32 needed = jobs::aclRowOf(cluster.layout, queue)->permissionsOf(trust::Role::Worker);
    return answer.ok() && !jobs::mayWorkers(needed, answer->acl, cluster.credentials.get());
}

} // namespace

async::Task<QByteArrayList> findShutQueues(jobs::Cluster cluster, QByteArrayList queues, QSet<QString> missing,
                                           Findings &findings)
{
    QByteArrayList readable;
    for (const QByteArray &queue : queues) {
        QString refused;
        bool keepsOut = false;
        const zk::Path path = cluster.layout.queue(queue);
        zk::Reply<zk::AclOfNode> asked = cluster.zk.acl(path); // on its way together with the read
        try {
            co_await recipes::Persistent(cluster.zk).get(path);
            const Answer<zk::AclOfNode> acl = co_await asked;
            keepsOut = keepsWorkersOut(cluster, path, acl);
        } catch (const zk::AccessDenied &error) {
            refused = QString::fromUtf8(error.what());
        }
        if (refused.isEmpty())
            readable.append(queue);
        else
            findings.append(aboutShutQueue(queue, refused, cluster.credentials != nullptr));
        if (keepsOut)
            findings.append(aboutKeptWorkers(queue, cluster.credentials != nullptr));
    }
    QStringList names(missing.begin(), missing.end());
    names.sort();
    for (const QString &queue : std::as_const(names))
        findings.append(
            {Level::Problem, QStringLiteral("queue ") + queue,
             QStringLiteral("it is not there, although a worker serves it: submits to it are refused"),
             QStringLiteral("submit to another queue; a worker that starts makes it anew, and its ids begin "
                            "at %1-0 again")
                 .arg(queue)});
    co_return readable;
}

async::Task<void> findStuckJobs(jobs::Cluster cluster, QByteArrayList queues, Findings &findings)
{
    const jobs::WorkerPool pool = co_await jobs::readWorkerPool(cluster);
    for (const QByteArray &queue : queues) {
        const QString name = QString::fromUtf8(queue);
        const bool isServed = std::any_of(pool.members.begin(), pool.members.end(),
                                          [&](const auto &member) { return member.info.queues.contains(name); });
        if (!isServed)
            continue;
        const Answer<zk::Children> names = co_await cluster.zk.children(cluster.layout.queue(queue));
        const std::vector<JobView> ready = co_await readFirst(cluster, queue, jobs::readyInOrder(names->names));
        const std::vector<JobView> arrays = co_await readFirst(cluster, queue, arraysAmong(names->names));
        Stuck stuck;
        for (const JobView &job : ready)
            stuck.add(job.id, whyNoWorkerRuns(pool, job));
        for (const JobView &job : arrays)
            stuck.add(job.id, whyNoWorkerRuns(pool, job));
        if (stuck.count > 0)
            findings.append(stuck.finding(queue,
                                          QStringLiteral("no worker can ever run %1")
                                              .arg(text::formatCount(stuck.count, "of its jobs", "of its jobs"))));
        const Stuck gangs = co_await stuckGangs(cluster, arrays, pool);
        if (gangs.count > 0)
            findings.append(gangs.finding(
                queue, QStringLiteral("%1 never begin").arg(text::formatCount(gangs.count, "gang can", "gangs can"))));
    }
}

async::Task<void> findBlockedJobs(jobs::Cluster cluster, QByteArrayList queues, Findings &findings)
{
    for (const QByteArray &queue : queues) {
        const Answer<zk::Children> names = co_await cluster.zk.children(cluster.layout.queue(queue));
        if (!names.ok())
            continue; // it has gone meanwhile
        const std::vector<QueueEntry> entries = oldestAmong(names->names);
        const std::vector<std::optional<jobs::Reason>> blocked = co_await jobs::whyBlocked(cluster, queue, entries);
        const std::vector<std::optional<jobs::Reason>> forbidden = co_await jobs::whyForbidden(cluster, queue, entries);
        addStuck(queue, entries, blocked, QStringLiteral("%1 cannot be ended"), findings);
        addStuck(queue, entries, forbidden, QStringLiteral("%1 can never begin"), findings);
    }
}

} // namespace drover::app
