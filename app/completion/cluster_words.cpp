#include "app/completion/words.h"
#include "files/ledgers.h"
#include "jobs/client/job_lookup.h"
#include "jobs/cluster/members.h"

#include <QSet>

#include <algorithm>
#include <map>

namespace drover::app {

using jobs::JobId;
using jobs::JobState;
using zk::Answer;

namespace {

// Where the names of such a kind are the children's; nothing if it is not as simple.
std::optional<zk::Path> directoryOf(const jobs::Layout &layout, CompletionKind kind)
{
    using jobs::Layout;
    static const std::map<CompletionKind, zk::Path (Layout::*)() const> directories{
        {CompletionKind::Queue, &Layout::queues},       {CompletionKind::Worker, &Layout::members},
        {CompletionKind::Schedule, &Layout::schedules}, {CompletionKind::Lock, &Layout::locks},
        {CompletionKind::Limit, &Layout::limits},       {CompletionKind::Election, &Layout::elections},
        {CompletionKind::Barrier, &Layout::barriers},   {CompletionKind::DoubleBarrier, &Layout::doubleBarriers},
        {CompletionKind::Group, &Layout::groups},       {CompletionKind::Setting, &Layout::settings},
        {CompletionKind::Counter, &Layout::counters},   {CompletionKind::Items, &Layout::items},
    };
    if (kind == CompletionKind::Cluster)
        return Layout::clusters();
    const auto directory = directories.find(kind);
    return directory == directories.end() ? std::nullopt : std::optional((layout.*directory->second)());
}

async::Task<QList<Candidate>> childrenOf(zk::Client &zk, zk::Path directory)
{
    const Answer<zk::Children> children = co_await zk.children(directory);
    QList<Candidate> words;
    for (const QByteArray &name : children->names) {
        const QString word = QString::fromUtf8(name);
        if (!word.contains(u':')) // a limit of a queue's own
            words.append({word});
    }
    co_return words;
}

// The whole paths of the children of what has been typed up to its last slash.
async::Task<QList<Candidate>> znodes(zk::Client &zk, QString begun)
{
    const QString above = begun.section(u'/', 0, -2);
    QList<Candidate> words;
    std::optional<zk::Path> directory;
    try {
        directory.emplace(above.isEmpty() ? QByteArray("/") : above.toUtf8());
    } catch (const zk::InvalidPath &) {
        co_return words;
    }
    const Answer<zk::Children> children = co_await zk.children(*directory);
    for (const QByteArray &name : children->names)
        words.append({above + u'/' + QString::fromUtf8(name)});
    co_return words;
}

async::Task<QList<Candidate>> labels(jobs::Cluster cluster)
{
    const std::vector<jobs::StoredMember> members = co_await jobs::readMembers(cluster);
    QList<Candidate> words;
    for (const jobs::StoredMember &member : members) {
        for (const QString &label : member.info ? member.info->labels : QStringList())
            words.append({label, QStringLiteral("of worker %1").arg(QString::fromUtf8(member.id))});
    }
    co_return words;
}

// What the first unfinished jobs are called, or tagged with.
async::Task<QList<Candidate>> wordsOfJobs(jobs::Cluster cluster, CompletionKind kind)
{
    const jobs::ListFilter first;
    const jobs::JobList list = co_await jobs::listJobs(cluster, first);
    QList<Candidate> words;
    for (const jobs::JobView &job : list.jobs) {
        if (!job.spec)
            continue;
        const QStringList ofJob = kind == CompletionKind::Tag ? job.spec->tags : QStringList(job.spec->title());
        for (const QString &word : ofJob)
            words.append({word});
    }
    co_return words;
}

async::Task<QList<Candidate>> sharedFiles(jobs::Cluster cluster)
{
    const std::vector<files::StoredLedger> ledgers = co_await files::readLedgers(cluster.zk, cluster.layout);
    QList<Candidate> words;
    for (const files::StoredLedger &stored : ledgers) {
        if (stored.malformed.isEmpty())
            words.append({stored.ledger.path});
    }
    co_return words;
}

// The properties of a job that the names of its nodes show.
struct Named {
    JobId id;
    JobState state = JobState::Ready;
    bool ended = false;
    bool array = false;
};

bool fits(CompletionKind kind, const Named &job)
{
    const bool claimed = job.state == JobState::Running;
    switch (kind) {
    case CompletionKind::UnfinishedJob:
        return !job.ended;
    case CompletionKind::HeldJob:
        return job.state == JobState::Held;
    case CompletionKind::UnheldJob:
        return !job.ended && !claimed && job.state != JobState::Held;
    case CompletionKind::UnclaimedJob:
        return !job.ended && !claimed;
    case CompletionKind::RunningJob:
        return claimed;
    case CompletionKind::BegunJob:
        return claimed || job.ended;
    case CompletionKind::AnyJob:
        return true;
    case CompletionKind::EndedJob:
        return job.ended;
    case CompletionKind::Array:
        return job.array;
    default:
        return false;
    }
}

bool isJob(CompletionKind kind)
{
    return kind >= CompletionKind::UnfinishedJob;
}

// The queues of which the typed beginning of an id may be: "gpu-4" may be a job of the queue gpu, or of gpu-4 or
// gpu-42.
QByteArrayList queuesOf(const QByteArrayList &all, const QString &begun)
{
    QByteArrayList queues;
    for (const QByteArray &queue : all) {
        const QString start = QString::fromUtf8(queue) + u'-';
        const qsizetype shorter = std::min(start.size(), begun.size());
        if (start.left(shorter) == begun.left(shorter))
            queues.append(queue);
    }
    return queues;
}

void addUnfinished(const QByteArray &queue, const QByteArrayList &names, const QSet<QByteArray> &claimed,
                   std::vector<Named> &all)
{
    for (const QByteArray &name : names) {
        const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
        if (!entry)
            continue;
        const JobId id = entry->idIn(queue);
        const JobState state = claimed.contains(id.bytes()) ? JobState::Running : jobs::unclaimedState(entry->jobClass);
        all.push_back({id, state, false, entry->jobClass == jobs::QueueEntry::Class::Array});
    }
}

async::Task<std::vector<Named>> unfinishedJobs(jobs::Cluster cluster, QString begun)
{
    const auto listingQueues = cluster.zk.children(cluster.layout.queues());
    const auto listingClaims = cluster.zk.children(cluster.layout.claims());
    const Answer<zk::Children> queues = co_await listingQueues;
    const Answer<zk::Children> claims = co_await listingClaims;
    const QByteArrayList wanted = queuesOf(queues->names, begun);
    std::vector<zk::Reply<zk::Children>> listing;
    for (const QByteArray &queue : wanted)
        listing.push_back(cluster.zk.children(cluster.layout.queue(queue)));
    const QSet<QByteArray> claimed(claims->names.begin(), claims->names.end());
    std::vector<Named> all;
    for (qsizetype i = 0; i < wanted.size(); ++i) {
        const Answer<zk::Children> entries = co_await listing[static_cast<std::size_t>(i)];
        addUnfinished(wanted[i], entries->names, claimed, all);
    }
    co_return all;
}

async::Task<std::vector<Named>> endedJobs(jobs::Cluster cluster)
{
    const Answer<zk::Children> done = co_await cluster.zk.children(cluster.layout.done());
    std::vector<Named> all;
    for (const QByteArray &name : done->names) {
        if (const std::optional<JobId> id = JobId::parse(QString::fromUtf8(name)))
            all.push_back({*id, JobState::Succeeded, true, false});
    }
    co_return all;
}

async::Task<QList<Candidate>> jobIds(jobs::Cluster cluster, CompletionKind kind, QString begun)
{
    std::vector<Named> all;
    if (kind != CompletionKind::EndedJob) {
        std::vector<Named> unfinished = co_await unfinishedJobs(cluster, begun);
        all = std::move(unfinished);
    }
    if (fits(kind, Named{{}, JobState::Succeeded, true, false})) { // after the queues: a job goes from there to here
        const std::vector<Named> ended = co_await endedJobs(cluster);
        all.insert(all.end(), ended.begin(), ended.end());
    }
    std::sort(all.begin(), all.end(), [](const Named &a, const Named &b) { return a.id < b.id; });
    const bool tasks = begun.contains(u'.');
    QList<Candidate> words;
    for (const Named &job : all) {
        if (fits(kind, job) && job.id.isTask() == tasks)
            words.append({job.id.toString(), job.ended ? QStringLiteral("ended") : jobs::stateName(job.state)});
    }
    co_return words;
}

} // namespace

bool isInCluster(CompletionKind kind)
{
    return kind >= CompletionKind::Cluster;
}

async::Task<QList<Candidate>> clusterWords(jobs::Cluster cluster, CompletionKind kind, QString begun)
{
    if (isJob(kind))
        co_return co_await jobIds(cluster, kind, begun);
    if (const std::optional<zk::Path> directory = directoryOf(cluster.layout, kind))
        co_return co_await childrenOf(cluster.zk, *directory);
    if (kind == CompletionKind::Znode)
        co_return co_await znodes(cluster.zk, begun);
    if (kind == CompletionKind::Label)
        co_return co_await labels(cluster);
    if (kind == CompletionKind::Tag || kind == CompletionKind::JobName)
        co_return co_await wordsOfJobs(cluster, kind);
    if (kind == CompletionKind::SharedFile)
        co_return co_await sharedFiles(cluster);
    co_return QList<Candidate>();
}

} // namespace drover::app
