#include "jobs/cluster/limits.h"
#include "jobs/cluster/members.h"
#include "jobs/explain/reasons.h"
#include "recipes/blocks/participants.h"
#include "recipes/blocks/persistent.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/semaphore.h"
#include "recipes/values/counter.h"
#include "text/quantity.h"

#include <QRegularExpression>

#include <algorithm>

namespace drover::jobs {

using namespace std::chrono_literals;
using recipes::Participant;
using recipes::Persistent;
using std::chrono::milliseconds;
using zk::Answer;

namespace {

constexpr qsizetype MostNamed = 3; // holders
constexpr qsizetype MostShown = 60; // characters of what a shell runs

// A job: "default-7 on host2 (worker w2)". Since when it runs, if that is later than what it stands in line since.
struct JobThere {
    QString text;
    milliseconds runsSince{};
};

async::Task<QString> hostOf(Cluster cluster, QString worker)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.members() / worker.toUtf8());
    const std::optional<WorkerInfo> info = node.ok() ? tryDecode<WorkerInfo>(node->data) : std::nullopt;
    co_return info ? info->host : QString();
}

async::Task<JobThere> aboutJob(Cluster cluster, JobId id)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.claim(id));
    JobThere job{id.toString()};
    if (!node.ok())
        co_return job; // its worker gives it up
    const std::optional<Claim> claim = tryDecode<Claim>(node->data);
    if (!claim)
        co_return job;
    const QString host = co_await hostOf(cluster, claim->worker);
    job.text += host.isEmpty() ? QStringLiteral(" (worker %1)").arg(claim->worker)
                               : QStringLiteral(" on %1 (worker %2)").arg(host, claim->worker);
    const bool wasAsked = claim->cancelled || claim->requeue || claim->signalCount > 0;
    if (claim->hasBegun() && !wasAsked) // then the last that was written is that it no longer waits
        job.runsSince = milliseconds(node->stat.mtime);
    co_return job;
}

// "<host> process <pid>: <command>", as drover lock and drover semaphore call themselves; others as they do.
QString aboutProcess(const QString &data)
{
    static const QRegularExpression pattern(QStringLiteral("^(\\S+) process (\\d+): (.*)$"),
                                            QRegularExpression::DotMatchesEverythingOption);
    const QRegularExpressionMatch match = pattern.match(data);
    if (!match.hasMatch())
        return data.isEmpty() ? QStringLiteral("an unknown client") : data;
    QString command = match.captured(3).simplified();
    if (command.size() > MostShown)
        command = command.first(MostShown) + QStringLiteral("...");
    return QStringLiteral("`%1` (process %2 on %3)").arg(command, match.captured(2), match.captured(1));
}

async::Task<QString> aboutHolder(Cluster cluster, Participant holder)
{
    const QString data = QString::fromUtf8(holder.data);
    const std::optional<JobId> id = JobId::parse(data);
    JobThere there{aboutProcess(data)};
    if (id)
        there = co_await aboutJob(cluster, *id);
    const Answer<zk::Stat> stat = co_await Persistent(cluster.zk).exists(holder.fence.path);
    if (!stat.ok())
        co_return there.text;
    const milliseconds since = std::max(milliseconds(stat->ctime), there.runsSince);
    co_return QStringLiteral("%1 for %2")
        .arg(there.text,
             text::formatDuration(std::chrono::floor<std::chrono::seconds>(cluster.zk.loop().wallClock() - since)));
}

// "default-7 on host2 (worker w2) for 31 s, default-8 ... and 3 others"
async::Task<QString> aboutHolders(Cluster cluster, std::vector<Participant> holders)
{
    QStringList texts;
    for (const Participant &holder : holders) {
        if (texts.size() == MostNamed)
            break;
        const QString text = co_await aboutHolder(cluster, holder);
        texts.append(text);
    }
    const auto others = static_cast<qint64>(holders.size()) - texts.size();
    co_return texts.join(QStringLiteral(", "))
        + (others > 0 ? QStringLiteral(" and ") + text::formatCount(others, "other", "others") : QString());
}

struct LockLine {
    std::vector<Participant> holders;
    qsizetype before = 0; // who wait before the job
};

async::Task<LockLine> lineOf(zk::Client &zk, zk::Path lock, JobId job)
{
    std::vector<Participant> all = co_await recipes::participants(zk, lock);
    QByteArrayList names;
    for (const Participant &one : all)
        names.append(one.fence.path.name());
    const auto own = std::find_if(all.begin(), all.end(), [&](const auto &one) { return one.data == job.bytes(); });
    const qsizetype ahead = own - all.begin();
    LockLine line;
    const auto held = std::min(recipes::ReadWriteLock::holders(names), ahead);
    line.before = own == all.end() ? 0 : ahead - held;
    all.resize(static_cast<std::size_t>(held));
    line.holders = std::move(all);
    co_return line;
}

async::Task<Reason> whyLock(Cluster cluster, JobId job, QByteArray name, QString text)
{
    LockLine line = co_await lineOf(cluster.zk, cluster.layout.lock(name), job);
    if (line.holders.empty())
        co_return Reason{text};
    const QString holders = co_await aboutHolders(cluster, std::move(line.holders));
    const QString before = line.before > 0
        ? QStringLiteral("; %1 before it").arg(text::formatCount(line.before, "other waits", "others wait"))
        : QString();
    co_return Reason{QStringLiteral("%1, held by %2%3").arg(text, holders, before)};
}

struct Permits {
    int count = 0;
    std::vector<Participant> holders;
};

async::Task<Permits> permitsOf(Cluster cluster, QByteArray limit)
{
    const zk::Path path = cluster.layout.permits(limit);
    recipes::SharedCount shared(cluster.zk, path);
    recipes::Semaphore semaphore(cluster.zk, cluster.layout.limit(limit), path);
    const int count = co_await shared.get();
    std::vector<Participant> holders = co_await semaphore.participants();
    holders.resize(std::min(holders.size(), static_cast<std::size_t>(std::max(count, 0)))); // the others wait for room
    co_return Permits{count, std::move(holders)};
}

async::Task<QString> aboutPermits(Cluster cluster, Permits permits)
{
    const QString text = QStringLiteral("%1 of %2 held")
                             .arg(permits.holders.size())
                             .arg(text::formatCount(permits.count, "permit is", "permits are"));
    if (permits.holders.empty())
        co_return text;
    const QString holders = co_await aboutHolders(cluster, std::move(permits.holders));
    co_return text + QStringLiteral(", by ") + holders;
}

// `advice` makes room, `renewal` helps when no permit can be given ever again.
async::Task<Reason> whyLimit(Cluster cluster, QByteArray name, QString text, QString advice, QString renewal)
{
    const qint64 given = co_await numbersOfLimit(cluster, name);
    if (given >= zk::LastSequence)
        co_return Reason{QStringLiteral("%1, which has given out all its numbers").arg(text), renewal};
    Permits permits = co_await permitsOf(cluster, name);
    const QString held = co_await aboutPermits(cluster, std::move(permits));
    co_return Reason{QStringLiteral("%1: %2").arg(text, held), advice};
}

} // namespace

async::Task<Reason> whyWaitsAtWorker(Cluster cluster, JobView job)
{
    const QString waits = job.claim->waits;
    const QString text = QStringLiteral("worker %1 has claimed it and waits for %2").arg(job.claim->worker, waits);
    const QString name = waits.section(u' ', -1);
    if (waits.startsWith(u"lock "))
        co_return co_await whyLock(cluster, job.id, name.toUtf8(), text);
    if (waits.startsWith(u"limit "))
        co_return co_await whyLimit(
            cluster, name.toUtf8(), text, QStringLiteral("drover limit set %1 N").arg(name),
            QStringLiteral("drover limit set %1 none, and then drover limit set %1 N").arg(name));
    if (waits.startsWith(u"the limit of queue "))
        co_return co_await whyLimit(
            cluster, Layout::limitOfQueue(name.toUtf8()), text, QStringLiteral("drover queue limit %1 N").arg(name),
            QStringLiteral("drover queue limit %1 none, then hold and release the job").arg(name));
    co_return Reason{text};
}

async::Task<std::optional<Reason>> whyQueueIsFull(Cluster cluster, QByteArray queue)
{
    Permits permits = co_await permitsOf(cluster, Layout::limitOfQueue(queue));
    const auto held = static_cast<int>(permits.holders.size());
    if (permits.count == 0 || held < permits.count)
        co_return std::nullopt;
    const QString name = QString::fromUtf8(queue);
    const QString holders = co_await aboutHolders(cluster, std::move(permits.holders));
    co_return Reason{
        QStringLiteral("queue %1 allows %2 at a time: %3").arg(name, text::formatCount(held, "job", "jobs"), holders),
        QStringLiteral("drover queue limit %1 N").arg(name)};
}

} // namespace drover::jobs
