#include "jobs/client/job_lookup.h"

#include "jobs/client/list_unfinished.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/model/gang.h"

#include <algorithm>

namespace drover::jobs {

using zk::Answer;
using zk::Code;

namespace {

void noteUnreadable(JobView &view, const Malformed &error)
{
    view.newerFormat = view.newerFormat || dynamic_cast<const NewerFormat *>(&error) != nullptr;
    view.malformed = QString::fromUtf8(error.what());
    if (view.newerFormat)
        view.malformed += QStringLiteral("; update drover on this machine");
}

// Throws Malformed.
void readProgress(JobView &view, const zk::Node &node)
{
    view.progress = ArrayProgress::of(node.data, *view.spec->array);
    view.attempts = view.progress->begun() ? 1 : 0;
    if (!view.progress->begun() || view.entry->jobClass != QueueEntry::Class::Array)
        return;
    const GangRounds rounds = view.spec->gang > 0 ? GangRounds::of(node.data) : GangRounds();
    const bool assembles = view.spec->gang > 0 && rounds.begunAt.count() == 0;
    view.state = !view.spec->notes.heldBy.isEmpty() ? JobState::Held : assembles ? JobState::Ready : JobState::Running;
    view.since = rounds.begunAt.count() > 0 ? rounds.begunAt : view.progress->begunAt;
}

void readSpec(JobView &view, const zk::Node &node)
{
    view.version = view.attempts = node.stat.version;
    view.nodesBelow = node.stat.numChildren;
    if (!view.claimed)
        view.since = std::chrono::milliseconds(node.stat.ctime);
    try {
        view.spec = JobSpec::decode(node.data, view.id.queue, view.entry->priority);
        view.attempts = view.spec->attempts(view.version).number();
        if (view.spec->array)
            readProgress(view, node);
    } catch (const Malformed &error) {
        noteUnreadable(view, error);
    }
}

void readClaim(JobView &view, const zk::Node &node)
{
    view.claimed = true;
    view.state = JobState::Running; // whatever it does, it does not say that it waits
    view.claimVersion = node.stat.version;
    view.since = std::chrono::milliseconds(node.stat.ctime);
    try {
        view.claim = Claim::decode(node.data);
        view.state = view.claim->state();
    } catch (const Malformed &error) {
        noteUnreadable(view, error);
    }
}

void readRecord(JobView &view, const zk::Node &node)
{
    view.since = std::chrono::milliseconds(node.stat.ctime);
    try {
        view = viewOfEnded(FinalRecord::decode(node.data, view.id), view.since);
    } catch (const Malformed &error) {
        view.state = JobState::Failed;
        noteUnreadable(view, error);
    }
}

JobView viewOf(const JobId &id, const QueueEntry &entry, const zk::Node &node, const Answer<zk::Node> &claim)
{
    JobView view;
    view.id = id;
    view.entry = entry;
    view.state = unclaimedState(entry.jobClass);
    if (claim.ok())
        readClaim(view, *claim);
    readSpec(view, node);
    view.stored = node.data;
    return view;
}

// Whether the job is one that is looked for.
bool isWanted(const ListFilter &filter, const JobId &id)
{
    if (filter.array)
        return id.array() == *filter.array;
    return (filter.tasks || !id.isTask()) && (filter.queue.isEmpty() || id.queue == filter.queue);
}

// Returns the job if it is at one of these entries, or has ended.
async::Task<std::optional<JobView>> lookAt(Cluster cluster, JobId id, std::vector<QueueEntry> entries)
{
    std::vector<zk::Path> paths;
    for (const QueueEntry &entry : entries)
        paths.push_back(cluster.layout.job(id.queue, entry));
    // Read the claim after the job. A client that acts on "not claimed" checks the job's version, which a later claim
    // has changed. Read the record last, because a job that has left its queue has a record.
    paths.push_back(cluster.layout.claim(id));
    paths.push_back(cluster.layout.done(id));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, paths);
    const Answer<zk::Node> &claim = nodes[entries.size()];
    const Answer<zk::Node> &record = nodes.back();
    if (record.ok()) {
        JobView view;
        view.id = id;
        readRecord(view, *record);
        co_return view;
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (nodes[i].ok())
            co_return viewOf(id, entries[i], *nodes[i], claim);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].is(Code::NoAuth) && i != entries.size()) // it is there, and a claim alone would say nothing
            zk::throwFailure(Code::NoAuth, "get", paths[i]);
    }
    co_return std::nullopt;
}

[[noreturn]] void throwUnknown(const Layout &layout, const JobId &id)
{
    throw NotFound(QStringLiteral("there is no job %1 in cluster %2; drover ls --all lists the jobs")
                       .arg(id.toString(), QString::fromUtf8(layout.clusterName())));
}

// Fills in what the nodes of the listed jobs hold, a flight at a time.
async::Task<void> readAll(Cluster cluster, std::vector<JobView> &jobs)
{
    for (std::size_t begin = 0; begin < jobs.size(); begin += Flight) {
        const std::size_t end = std::min(jobs.size(), begin + Flight);
        std::vector<zk::Path> paths;
        for (std::size_t i = begin; i < end; ++i) {
            const JobView &job = jobs[i];
            paths.push_back(job.entry ? cluster.layout.job(job.id.queue, *job.entry) : cluster.layout.done(job.id));
            if (job.claimed)
                paths.push_back(cluster.layout.claim(job.id));
        }
        const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
        auto next = nodes.begin();
        for (std::size_t i = begin; i < end; ++i) {
            JobView &job = jobs[i];
            const Answer<zk::Node> &node = *next++;
            if (job.claimed) {
                const Answer<zk::Node> &claim = *next++;
                if (claim.ok())
                    readClaim(job, *claim);
            }
            if (node.is(Code::NoAuth))
                job.malformed = QStringLiteral("no permission to read it");
            else if (node.ok() && job.entry)
                readSpec(job, *node);
            else if (node.ok())
                readRecord(job, *node);
        }
    }
    // Jobs that ended between the listing and the reading are no longer where they were listed.
    std::erase_if(jobs, [](const JobView &job) { return !job.spec && !job.record && job.malformed.isEmpty(); });
}

} // namespace

JobView viewOfEnded(FinalRecord record, std::chrono::milliseconds endedAt, QString malformed)
{
    JobView view;
    view.id = record.id;
    view.state = record.state();
    view.since = endedAt;
    view.attempts = record.attempts.number();
    view.record = std::move(record);
    view.malformed = std::move(malformed);
    return view;
}

async::Task<JobView> lookUp(Cluster cluster, JobId id, std::optional<QueueEntry> seen)
{
    std::vector<QueueEntry> entries = seen ? std::vector{*seen} : QueueEntry::likely(id);
    for (int round = 0; round < 4; ++round) { // a job on its way from the queue to done/ may be missed once
        const std::optional<JobView> view = co_await lookAt(cluster, id, entries);
        if (view)
            co_return *view;
        entries = QueueEntry::candidates(id);
    }
    throwUnknown(cluster.layout, id);
}

async::Task<bool> isUnfinished(Cluster cluster, JobId id)
{
    try {
        const JobView job = co_await lookUp(std::move(cluster), id);
        co_return !isFinal(job.state);
    } catch (const NotFound &) {
        co_return false;
    }
}

async::Task<std::vector<JobView>> readEntries(Cluster cluster, std::vector<std::pair<JobId, QueueEntry>> entries)
{
    std::vector<zk::Path> paths;
    for (const auto &[id, entry] : entries) { // the claim after the job, as in lookUp()
        paths.push_back(cluster.layout.job(id.queue, entry));
        paths.push_back(cluster.layout.claim(id));
    }
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    std::vector<JobView> views;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (nodes[2 * i].ok())
            views.push_back(viewOf(entries[i].first, entries[i].second, *nodes[2 * i], nodes[2 * i + 1]));
    }
    co_return views;
}

async::Task<JobList> listJobs(Cluster cluster, ListFilter filter)
{
    JobList list;
    std::vector<JobView> ended;
    if (filter.unfinished) {
        QByteArrayList queues{filter.array ? filter.array->queue : filter.queue};
        if (queues.front().isEmpty())
            queues = co_await queueNames(cluster);
        const std::vector<ListedJob> listed = co_await listUnfinished(cluster, queues);
        for (const ListedJob &job : listed) {
            if (!isWanted(filter, job.id))
                continue;
            JobView &view = list.jobs.emplace_back();
            view.id = job.id;
            view.entry = job.entry;
            view.claimed = job.claimed;
            view.state = job.state;
        }
        std::sort(list.jobs.begin(), list.jobs.end(), [](const JobView &a, const JobView &b) {
            const auto rank = [](const JobView &job) { return std::tuple(!job.claimed, job.id.queue, *job.entry); };
            return rank(a) < rank(b);
        });
    }
    if (filter.finished) {
        const Answer<zk::Children> done = co_await cluster.zk.children(cluster.layout.done());
        for (const QByteArray &name : done->names) {
            const std::optional<JobId> id = JobId::parse(QString::fromUtf8(name));
            if (!id || !isWanted(filter, *id))
                continue;
            ended.emplace_back();
            ended.back().id = *id;
            ended.back().state = JobState::Succeeded; // until its record is read
        }
        std::sort(ended.begin(), ended.end(), [](const JobView &a, const JobView &b) { return b.id < a.id; });
    }
    list.total = static_cast<qsizetype>(list.jobs.size() + ended.size());
    std::move(ended.begin(), ended.end(), std::back_inserter(list.jobs));
    if (static_cast<qsizetype>(list.jobs.size()) > filter.limit)
        list.jobs.resize(static_cast<std::size_t>(filter.limit));
    const std::size_t listed = list.jobs.size();
    co_await readAll(cluster, list.jobs);
    list.total -= static_cast<qsizetype>(listed - list.jobs.size()); // they have ended meanwhile
    co_return list;
}

std::vector<QueueEntry> jobsUpTo(const QByteArrayList &names, qint32 last)
{
    std::vector<QueueEntry> entries;
    for (const QByteArray &name : names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (entry && entry->task == JobId::NoTask && entry->number <= last)
            entries.push_back(*entry);
    }
    return entries;
}

} // namespace drover::jobs
