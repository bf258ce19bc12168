#include "jobs/client/resubmit.h"

#include "jobs/client/job_control.h"
#include "jobs/cluster/cluster_config.h"

namespace drover::jobs {

namespace {

JobSpec tasksOf(JobSpec array, const Resubmission &resubmission)
{
    if (array.gang > 0)
        throw WrongState(QStringLiteral("%1 is of a gang, whose members begin together: resubmit %2")
                             .arg(resubmission.toString(), resubmission.id.toString()));
    if (resubmission.tasks->parts.size() > ArrayIndices::MaxParts)
        throw WrongState(QStringLiteral("these %1 tasks of %2 are too scattered for one array; resubmit fewer at a "
                                        "time: %2.%3..%4")
                             .arg(resubmission.tasks->count())
                             .arg(resubmission.id.toString())
                             .arg(resubmission.tasks->parts.front().first)
                             .arg(resubmission.tasks->parts[ArrayIndices::MaxParts - 1].last));
    const int limit = array.array ? array.array->limit : 0;
    if (array.arrayCount == 0 && array.array)
        array.arrayCount = array.array->count();
    array.array = resubmission.tasks;
    array.array->limit = limit;
    return array;
}

} // namespace

QString Resubmission::toString() const
{
    constexpr std::size_t MostParts = 8;
    if (!tasks || tasks->parts.size() > MostParts)
        return id.toString();
    const ArrayIndices::Part &first = tasks->parts.front();
    if (tasks->parts.size() == 1 && first.step == 1)
        return JobRange{JobId{id.queue, id.number, first.first}, first.last}.toString();
    return QStringLiteral("%1.%2").arg(id.toString(), tasks->toString());
}

void ResubmitSelection::add(const JobId &id, std::optional<JobState> state)
{
    const JobId job = id.array();
    const auto [place, isNew] = m_chosen.try_emplace(job);
    if (isNew)
        m_order.push_back(job);
    if (id.isTask())
        place->second.tasks.try_emplace(id.task, state);
    else
        place->second.whole = Resubmission{job, {}, state};
}

std::vector<Resubmission> ResubmitSelection::all() const
{
    std::vector<Resubmission> resubmissions;
    for (const JobId &id : m_order) {
        const Chosen &chosen = m_chosen.at(id);
        resubmissions.push_back(chosen.whole ? *chosen.whole : tasksAlone(id, chosen.tasks));
    }
    return resubmissions;
}

Resubmission ResubmitSelection::tasksAlone(const JobId &array, const Tasks &tasks)
{
    std::vector<qint32> indices;
    std::optional<JobState> was = tasks.begin()->second;
    for (const auto &[index, state] : tasks) {
        indices.push_back(index);
        was = was == state ? was : std::nullopt;
    }
    return {array, ArrayIndices::of(indices), was};
}

std::optional<JobSpec> jobToResubmit(const JobView &view)
{
    if (view.spec)
        return JobSpec::repeating(view.spec->toResubmit(), view.id.queue);
    return view.record ? view.record->jobToResubmit() : std::nullopt;
}

JobSpec jobToResubmit(const JobView &view, const Resubmission &resubmission)
{
    if (!view.malformed.isEmpty())
        throw WrongState(QStringLiteral("job %1 cannot be read: %2").arg(view.id.toString(), view.malformed));
    const QString reason = view.record ? view.record->reason : QString();
    if (view.record && wasMoved(*view.record))
        throw WrongState(
            QStringLiteral("job %1 has become another (%2): resubmit that").arg(view.id.toString(), reason));
    std::optional<JobSpec> job = jobToResubmit(view);
    if (!job)
        throw WrongState(
            QStringLiteral("the record of job %1 does not hold all of the job (%2): submit it as it was submitted then")
                .arg(view.id.toString(), reason.isEmpty() ? QStringLiteral("it was too large for it") : reason));
    return resubmission.tasks ? tasksOf(std::move(*job), resubmission) : *job;
}

} // namespace drover::jobs
