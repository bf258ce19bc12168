#include "app/jobs/job_selection.h"

#include "app/cli/failure.h"
#include "app/jobs/job_json.h"
#include "jobs/cluster/cluster_config.h"

#include <QSet>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace drover::app {

using jobs::JobId;
using jobs::JobState;
using zk::Answer;

namespace {

// Each once; of the tasks of an array none if they are to be dealt with by the array, which is there, too.
std::vector<JobSelection::Chosen> withoutDoubles(std::vector<JobSelection::Chosen> chosen, bool byArray)
{
    QSet<JobId> all;
    for (const JobSelection::Chosen &one : chosen)
        all.insert(one.id);
    QSet<JobId> seen;
    std::erase_if(chosen, [&](const JobSelection::Chosen &one) {
        if (byArray && !one.named && one.id.isTask() && all.contains(one.id.array()))
            return true;
        const bool twice = seen.contains(one.id);
        seen.insert(one.id);
        return twice;
    });
    return chosen;
}

std::optional<JobState> stateFrom(const Arguments &arguments)
{
    constexpr std::array States{JobState::Held, JobState::Waiting, JobState::Ready, JobState::Running};
    if (!arguments.has("state"))
        return std::nullopt;
    for (const JobState state : States) {
        if (arguments.value("state") == jobs::stateName(state))
            return state;
    }
    throw UsageError(
        QStringLiteral("--state: \"%1\" must be held, waiting, ready or running").arg(arguments.value("state")));
}

} // namespace

QList<QCommandLineOption> JobSelection::options()
{
    return QList<QCommandLineOption>{
               option("queue", "jobs of this queue; jobs that are named have to fit all filters, too", "QUEUE"),
               option("state", "jobs in this state", "held|waiting|ready|running")}
    + filterOptions();
}

JobSelection::JobSelection(const Arguments &arguments, const QStringList &ids) : m_filter(jobFilterFrom(arguments))
{
    m_filter.queue = arguments.name("queue", "");
    m_filter.state = stateFrom(arguments);
    for (const QString &text : ids) {
        if (isRange(text))
            m_ranges.push_back(parseRange(text));
        else
            m_ids.push_back(parseJobId(text));
    }
    const bool isBehindAValue = arguments.positional().size() > ids.size(); // a queue, a priority or a signal
    if (m_ids.empty() && m_ranges.empty() && !filters())
        throw UsageError(QStringLiteral("no jobs are named%1: give ids (default-42), ranges (default-3..17) or filters "
                                        "(--queue, --name, --tag, --state, --submitter)")
                             .arg(isBehindAValue ? QStringLiteral(" behind \"%1\"").arg(arguments.at(0)) : QString()));
    if (!filters())
        return;
    for (const JobId &id : std::exchange(m_ids, {}))
        m_ranges.push_back({id, id.isTask() ? id.task : id.number});
}

jobs::JobRange JobSelection::parseRange(const QString &argument)
{
    const qsizetype dots = argument.indexOf(QStringLiteral(".."));
    const std::optional<JobId> first = JobId::parse(argument.left(dots));
    const std::optional<qint32> last = jobs::parseNumber(QStringView(argument).mid(dots + 2));
    if (!first || !last || *last < (first->isTask() ? first->task : first->number))
        throw UsageError(
            QStringLiteral(
                "\"%1\" is not a range of jobs; give the first id and the last number: default-3..17, or of an "
                "array's tasks default-42.1..100")
                .arg(argument));
    return {*first, *last};
}

std::vector<jobs::JobRange> JobSelection::namedTasks() const
{
    std::vector<Range> tasks;
    if (filters())
        return tasks;
    for (const JobId &id : m_ids) {
        if (id.isTask())
            tasks.push_back({id, id.task});
    }
    std::copy_if(m_ranges.begin(), m_ranges.end(), std::back_inserter(tasks),
                 [](const Range &range) { return range.first.isTask(); });
    return tasks;
}

async::Task<std::vector<JobSelection::Chosen>> JobSelection::find(jobs::Cluster cluster, Arrays arrays) const
{
    std::vector<Chosen> chosen;
    std::vector<Range> ranges = m_ranges;
    if (!filters()) {
        const std::vector<Range> tasks = co_await addNamed(cluster, arrays, chosen);
        ranges.insert(ranges.end(), tasks.begin(), tasks.end());
    }
    std::set<QByteArray> queues;
    for (const Range &range : ranges)
        queues.insert(range.first.queue);
    if (m_ids.empty() && m_ranges.empty() && !m_filter.queue.isEmpty())
        queues.insert(m_filter.queue);
    if (m_ids.empty() && m_ranges.empty() && m_filter.queue.isEmpty()) {
        const QByteArrayList names = co_await jobs::queueNames(cluster);
        queues.insert(names.begin(), names.end());
    }
    std::vector<Listed> listed = co_await jobs::listUnfinished(cluster, QByteArrayList(queues.begin(), queues.end()));
    std::erase_if(listed, [&](const Listed &job) {
        const bool covered = ranges.empty()
            || std::any_of(ranges.begin(), ranges.end(), [&](const Range &range) { return range.covers(job.id); });
        return !covered || (!m_filter.queue.isEmpty() && job.id.queue != m_filter.queue);
    });
    if (m_filter.state == JobState::Running || m_filter.state == JobState::Waiting)
        co_await jobs::readClaimsOf(cluster, listed);
    if (m_filter.state)
        co_await lookAtArrays(cluster, listed);
    co_await addMatching(cluster, std::move(listed), chosen);
    co_return withoutDoubles(chosen, arrays == Arrays::AsOne);
}

// What is still to be looked for in the queues: the tasks of arrays.
async::Task<std::vector<JobSelection::Range>> JobSelection::addNamed(jobs::Cluster cluster, Arrays arrays,
                                                                     std::vector<Chosen> &chosen) const
{
    std::vector<Range> ranges;
    for (const JobId &id : m_ids) {
        bool isArray = false;
        if (arrays != Arrays::AsOne && !id.isTask()) {
            try {
                const jobs::JobView job = co_await jobs::lookUp(cluster, id);
                isArray = job.spec && job.spec->array;
            } catch (const jobs::NotFound &) {
                // Said when it is acted on.
            }
        }
        if (!isArray || arrays == Arrays::WithTasks)
            chosen.push_back({id, true});
        if (isArray)
            ranges.push_back({JobId{id.queue, id.number, 0}, JobId::MaxTask});
    }
    co_return ranges;
}

// As drover ls shows them: an array that has begun may be held, and keeps its place.
async::Task<void> JobSelection::lookAtArrays(jobs::Cluster cluster, std::vector<Listed> &listed) const
{
    for (Listed &job : listed) {
        if (job.entry.jobClass != jobs::QueueEntry::Class::Array)
            continue;
        try {
            const jobs::JobView array = co_await jobs::lookUp(cluster, job.id);
            job.state = array.state;
        } catch (const jobs::NotFound &) {
            // Its record has been removed since.
        }
    }
}

async::Task<void> JobSelection::addMatching(jobs::Cluster cluster, std::vector<Listed> listed,
                                            std::vector<Chosen> &chosen) const
{
    const auto consider = [&](const Listed &job, const QByteArray &stored) {
        if (matches(job, stored))
            chosen.push_back({job.id, false});
    };
    if (!m_filter.describes()) {
        for (const Listed &job : listed)
            consider(job, QByteArray());
        co_return;
    }
    const auto got = [&](const Listed &job, const Answer<zk::Node> &node) {
        consider(job, node.ok() ? node->data : QByteArray());
    };
    co_await jobs::readListed(cluster, std::move(listed), got);
}

bool JobSelection::matches(const Listed &job, const QByteArray &stored) const
{
    if (m_filter.state && job.state != *m_filter.state)
        return false;
    if (!m_filter.describes())
        return true;
    const auto spec = jobs::tryDecode<jobs::JobSpec>(stored, job.id.queue, job.entry.priority);
    return spec && m_filter.fits(spec->title(), spec->tags, spec->submitter);
}

bool JobSelection::mayMeanEnded(const JobId &id) const
{
    if (!looksAtEnded() || (!m_filter.queue.isEmpty() && id.queue != m_filter.queue))
        return false;
    const auto covers = [&](const Range &range) { return range.first.isTask() == id.isTask() && range.covers(id); };
    return m_ranges.empty() ? !id.isTask() : std::any_of(m_ranges.begin(), m_ranges.end(), covers);
}

bool JobSelection::meansEnded(const jobs::FinalRecord &record) const
{
    return mayMeanEnded(record.id) && m_filter.fits(record.name, record.tags, record.submitter);
}

std::vector<history::Query> JobSelection::historyQueries() const
{
    if (!looksAtEnded())
        return {};
    history::Query query;
    query.narrow(m_filter);
    std::vector<history::Query> queries;
    for (const Range &range : m_ranges) {
        queries.push_back(query);
        queries.back().range = range;
        queries.back().tasks = range.first.isTask();
    }
    if (queries.empty()) {
        query.tasks = false;
        queries.push_back(query);
    }
    return queries;
}

} // namespace drover::app
