#include "app/jobs/resubmit_selection.h"

#include "app/cli/parallel_in_order.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/finished_jobs.h"
#include "app/jobs/job_json.h"
#include "app/jobs/job_selection.h"
#include "jobs/client/job_control.h"

#include <algorithm>
#include <map>

namespace drover::app {

using jobs::FinalRecord;
using jobs::JobId;
using jobs::JobRange;
using jobs::JobState;

namespace {

JobRange tasksOf(const JobId &array)
{
    return {JobId{array.queue, array.number, 0}, JobId::MaxTask};
}

// A job that an id names.
struct Named {
    JobId id;
    jobs::JobView view;
    std::optional<Failure> failure{};

    bool isArray() const
    {
        return view.spec ? view.spec->array && view.spec->gang == 0 : view.record && Named::isArray(*view.record);
    }
    // Not of a gang, which is submitted as a whole.
    static bool isArray(const FinalRecord &record)
    {
        try {
            const std::optional<jobs::JobSpec> job = record.jobToResubmit();
            return job && job->array && job->gang == 0;
        } catch (const jobs::Malformed &) {
            return false;
        }
    }
};

async::Task<Named> lookUpNamed(Context &context, jobs::Cluster cluster, JobId id)
{
    Named named{id, {}};
    try {
        jobs::JobView view = co_await lookUpAnywhere(context, cluster, id);
        named.view = std::move(view);
    } catch (const zk::SessionLost &) {
        throw;
    } catch (const std::exception &) { // the others are still to be submitted
        named.failure = explain(std::current_exception());
    }
    co_return named;
}

// How many at least.
qint32 failedTasks(const jobs::JobView &array)
{
    if (array.record)
        return array.record->failedTasks;
    return array.progress ? array.progress->failed : 0;
}

Failure notEnded(const jobs::JobView &job)
{
    const jobs::WrongState error(
        QStringLiteral(
            "job %1 has not ended (%2): drover requeue starts a running job again; for a copy of it use drover "
            "resubmit --dry-run and drover submit --file")
            .arg(job.id.toString(), jobs::stateName(job.state)));
    return explain(std::make_exception_ptr(error));
}

// One search: each step adds to the choice.
class Search
{
public:
    Search(Context &context, jobs::Cluster cluster, ResubmitNames names)
        : m_context(context), m_cluster(std::move(cluster)), m_names(std::move(names))
    {
    }

    async::Task<Resubmissions> run()
    {
        co_await addIds();
        co_await addRanges();
        co_await addFailedTasks();
        co_return Resubmissions{m_choice.all(), std::move(m_refused)};
    }

private:
    async::Task<void> addIds()
    {
        ParallelInOrder<Named> looking(m_context.loop(), [this](const Named &named) { addNamed(named); });
        for (const JobId &id : m_names.ids)
            co_await looking.add(lookUpNamed(m_context, m_cluster, id));
        co_await looking.finish();
    }

    void addNamed(const Named &named)
    {
        if (named.failure)
            m_refused.push_back(*named.failure);
        else if (m_names.failedAlone && named.isArray())
            m_arrays.emplace(named.id, failedTasks(named.view));
        else if (named.view.entry && !m_names.mayRun)
            m_refused.push_back(notEnded(named.view));
        else if (!m_names.failedAlone || named.view.state == JobState::Failed)
            m_choice.add(named.id, named.view.state);
    }

    async::Task<void> addRanges()
    {
        std::map<JobId, JobState> found; // by number
        const std::function<void(const FinalRecord &)> take = [&](const FinalRecord &record) {
            if (jobs::wasMoved(record)) // it has not ended, elsewhere
                return;
            if (m_names.failedAlone && Named::isArray(record))
                m_arrays.emplace(record.id, record.failedTasks);
            else if (!m_names.failedAlone || record.state() == JobState::Failed)
                found.emplace(record.id, record.state());
        };
        co_await eachEndedIn(m_names.ranges, std::nullopt, take);
        for (const auto &[id, state] : found)
            m_choice.add(id, state);
    }

    async::Task<void> addFailedTasks()
    {
        std::vector<JobRange> ranges;
        for (const auto &[array, failed] : m_arrays)
            ranges.push_back(tasksOf(array));
        std::map<JobId, JobState> found;
        const std::function<void(const FinalRecord &)> take = [&](const FinalRecord &record) {
            found.emplace(record.id, record.state());
        };
        co_await eachEndedIn(std::move(ranges), JobState::Failed, take);
        for (const auto &[array, failed] : m_arrays) {
            const auto begin = found.lower_bound(tasksOf(array).first);
            const auto end = found.upper_bound(JobId{array.queue, array.number, JobId::MaxTask});
            const auto known = std::distance(begin, end);
            if (known < failed)
                m_refused.push_back(forgotten(array, known, failed));
            else
                std::for_each(begin, end, [this](const auto &task) { m_choice.add(task.first, task.second); });
        }
    }

    async::Task<void> eachEndedIn(std::vector<JobRange> ranges, std::optional<JobState> state,
                                  std::function<void(const FinalRecord &)> take)
    {
        if (ranges.empty())
            co_return;
        const JobSelection selection(std::move(ranges));
        const std::chrono::milliseconds ever{};
        try {
            co_await eachFinished(m_context, m_cluster, selection, ever, state, std::move(take));
        } catch (const history::HistoryError &error) {
            throw history::HistoryError(QStringLiteral("nothing was resubmitted: the history failed, so the ended jobs "
                                                       "are unknown: %1")
                                            .arg(QString::fromUtf8(error.what())));
        }
    }

    static Failure forgotten(const JobId &array, qint64 known, qint32 failed)
    {
        const jobs::WrongState error(QStringLiteral("of the failed tasks of %2, %1, only %3 are known any more; "
                                                    "drover resubmit %2 runs them all")
                                         .arg(failed)
                                         .arg(array.toString())
                                         .arg(known));
        return explain(std::make_exception_ptr(error));
    }

    Context &m_context;
    jobs::Cluster m_cluster;
    const ResubmitNames m_names;
    jobs::ResubmitSelection m_choice;
    std::map<JobId, qint32> m_arrays; // of which the failed tasks are meant: how many there are, once that is known
    std::vector<Failure> m_refused;
};

} // namespace

ResubmitNames ResubmitNames::parse(const QStringList &names)
{
    ResubmitNames parsed;
    for (const QString &text : names) {
        if (JobSelection::isRange(text))
            parsed.ranges.push_back(JobSelection::parseRange(text));
        else
            parsed.ids.push_back(parseJobId(text));
    }
    return parsed;
}

async::Task<Resubmissions> findResubmissions(Context &context, jobs::Cluster cluster, ResubmitNames names)
{
    Search search(context, cluster, std::move(names));
    co_return co_await search.run();
}

} // namespace drover::app
