#include "jobs/client/unmade_tasks.h"

namespace drover::jobs {

namespace {

// Nothing if there is no such array.
async::Task<std::optional<JobView>> lookUpArray(Cluster cluster, JobId task)
{
    for (;;) {
        try {
            co_return co_await lookUp(cluster, task.array());
        } catch (const NotFound &) {
            co_return std::nullopt;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
}

// Whether its node tells which tasks are unmade. That of a gang does not, nor one that cannot be read.
bool tellsUnmade(const JobView &array)
{
    return array.progress && array.spec->array && array.spec->gang == 0;
}

JobSpec specOfTask(const JobView &array)
{
    JobSpec spec = *array.spec;
    spec.array.reset();
    return spec;
}

JobView viewOfToCome(const JobView &array, const JobId &task)
{
    JobView view;
    view.id = task;
    view.state = array.spec->notes.heldBy.isEmpty() ? JobState::Waiting : JobState::Held;
    view.spec = specOfTask(array);
    view.since = std::chrono::milliseconds(array.spec->submittedAt);
    return view;
}

} // namespace

async::Task<std::optional<JobView>> lookUpUnmade(Cluster cluster, JobId task)
{
    if (!task.isTask())
        co_return std::nullopt;
    const std::optional<JobView> array = co_await lookUpArray(cluster, task);
    if (!array)
        co_return std::nullopt;
    if (array->record) {
        std::vector<FinalRecord> never = array->record->neverMadeTasks(task.task, task.task);
        co_return never.empty() ? std::nullopt : std::optional(viewOfEnded(std::move(never.front()), array->since));
    }
    if (!tellsUnmade(*array))
        co_return std::nullopt;
    const std::optional<qint32> place = array->spec->array->placeOf(task.task);
    const bool isCancelled = array->spec->notes.cancelled;
    if (place && array->progress->isToCome(*place, isCancelled))
        co_return viewOfToCome(*array, task);
    if (place && array->progress->isNeverMade(*place, isCancelled))
        co_return viewOfEnded(FinalRecord::ofNeverMade(task, specOfTask(*array), array->since), array->since);
    co_return std::nullopt;
}

async::Task<JobView> lookUpEvenUnmade(Cluster cluster, JobId id)
{
    std::exception_ptr unknown;
    try {
        co_return co_await lookUp(cluster, id);
    } catch (const NotFound &) {
        unknown = std::current_exception();
    }
    std::optional<JobView> unmade = co_await lookUpUnmade(cluster, id);
    if (!unmade)
        std::rethrow_exception(unknown);
    co_return std::move(*unmade);
}

async::Task<UnmadeTasks> findUnmade(Cluster cluster, JobRange tasks)
{
    UnmadeTasks unmade;
    const std::optional<JobView> array = co_await lookUpArray(cluster, tasks.first);
    if (!array)
        co_return unmade;
    unmade.isArrayKnown = true;
    if (array->record) {
        unmade.neverMade = array->record->neverMadeTasks(tasks.first.task, tasks.last);
        co_return unmade;
    }
    if (!tellsUnmade(*array))
        co_return unmade;
    const ArrayIndices &indices = *array->spec->array;
    const bool isCancelled = array->spec->notes.cancelled;
    const JobSpec spec = specOfTask(*array);
    const qint32 end = indices.countBelow(qint64(tasks.last) + 1);
    for (qint32 place = indices.countBelow(tasks.first.task); place < end; ++place) {
        const JobId id{tasks.first.queue, tasks.first.number, indices.at(place)};
        if (array->progress->isToCome(place, isCancelled))
            unmade.toCome.push_back(id);
        else if (array->progress->isNeverMade(place, isCancelled))
            unmade.neverMade.push_back(FinalRecord::ofNeverMade(id, spec, array->since));
    }
    co_return unmade;
}

} // namespace drover::jobs
