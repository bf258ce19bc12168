#include "app/jobs/dependencies.h"

#include "app/cli/failure.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/finished_jobs.h"
#include "app/jobs/job_selection.h"

#include <algorithm>
#include <set>

namespace drover::app {

using jobs::Dependency;
using jobs::JobId;

namespace {

constexpr std::size_t MostWithATag = 1000;
constexpr std::chrono::milliseconds Ever{}; // since

async::Task<bool> existsAnywhere(Context &context, jobs::Cluster cluster, JobId id)
{
    try {
        const jobs::JobView found = co_await lookUpAnywhere(context, cluster, id);
        co_return true;
    } catch (const jobs::NotFound &) {
        co_return false;
    }
}

// Where a job was looked for, for messages.
QString everywhere(const Context &context)
{
    return QStringLiteral("cluster %1 or in its history").arg(QString::fromLatin1(context.settings().cluster));
}

// The jobs with the tag; a job that was moved has its new id.
async::Task<std::set<JobId>> jobsWith(Context &context, jobs::Cluster cluster, QString tag)
{
    const JobSelection selection{jobs::JobFilter{.tag = tag}};
    const std::vector<JobSelection::Chosen> unfinished = co_await selection.find(cluster, JobSelection::Arrays::AsOne);
    const FinishedJobs ended = co_await findFinished(context, cluster, selection, Ever);
    if (!ended.trouble.isEmpty())
        throw CommandError(ExitError, QStringLiteral("a job cannot wait for tag:%1: %2").arg(tag, ended.trouble));
    std::set<JobId> ids;
    for (const JobSelection::Chosen &one : unfinished)
        ids.insert(one.id);
    for (const auto &[id, record] : ended.records) {
        if (!record.movedTo)
            ids.insert(id);
    }
    if (ids.empty())
        throw jobs::NotFound(
            QStringLiteral("a job cannot wait for tag:%1: no job in %2 has that tag").arg(tag, everywhere(context)));
    if (ids.size() > MostWithATag)
        throw UsageError(QStringLiteral("a job cannot wait for tag:%1: more than %2 jobs have that tag, ended ones "
                                        "included; give each run a tag of its own")
                             .arg(tag)
                             .arg(MostWithATag));
    co_return ids;
}

async::Task<std::vector<Dependency>> existing(Context &context, jobs::Cluster cluster, Dependency dependency)
{
    std::vector<Dependency> all;
    if (!dependency.tag.isEmpty()) {
        const std::set<JobId> ids = co_await jobsWith(context, cluster, dependency.tag);
        for (const JobId &id : ids)
            all.push_back({.kind = dependency.kind, .on = id});
        co_return all;
    }
    const bool exists = co_await existsAnywhere(context, cluster, dependency.on);
    if (exists)
        all.push_back(dependency);
    else if (!dependency.range)
        throw jobs::NotFound(QStringLiteral("a job cannot wait for %1: there is no such job in cluster %2, nor in "
                                            "its history")
                                 .arg(dependency.on.toString(), QString::fromLatin1(context.settings().cluster)));
    co_return all;
}

bool isIn(const std::vector<Dependency> &dependencies, const Dependency &like)
{
    return std::any_of(dependencies.begin(), dependencies.end(),
                       [&](const Dependency &one) { return one.kind == like.kind && one.range == like.range; });
}

} // namespace

async::Task<jobs::JobSpec> withDependencies(Context &context, jobs::Cluster cluster, jobs::JobSpec spec)
{
    std::vector<Dependency> found;
    for (const Dependency &dependency : spec.after) {
        const std::vector<Dependency> some = co_await existing(context, cluster, dependency);
        found.insert(found.end(), some.begin(), some.end());
    }
    for (const Dependency &dependency : spec.after) {
        if (dependency.range && !isIn(found, dependency))
            throw jobs::NotFound(QStringLiteral("a job cannot wait for %1: no number of this range is a job in %2")
                                     .arg(dependency.range->toString(), everywhere(context)));
    }
    spec.after = std::move(found);
    co_return spec;
}

} // namespace drover::app
