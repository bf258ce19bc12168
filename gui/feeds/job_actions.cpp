#include "gui/feeds/job_actions.h"

#include "gui/feeds/graph/graph_walk.h"
#include "gui/rows/job_rows.h"
#include "jobs/client/own_clock.h"
#include "jobs/client/prover.h"
#include "jobs/client/submitter.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/explain/why.h"

#include <limits>

namespace drover::gui {

namespace {

// How many tasks of an array have failed, at least; nothing if it is none. A gang is submitted as a whole.
std::optional<qint32> failedOf(const jobs::JobView &job)
{
    const std::optional<jobs::JobSpec> spec = job.spec || !job.record ? job.spec : job.record->jobToResubmit();
    if (!spec || !spec->array || spec->gang != 0)
        return {};
    return job.record ? job.record->failedTasks : job.progress ? job.progress->failed : 0;
}

} // namespace

void JobActions::submit(int request, const jobs::JobSpec &spec)
{
    start(request, submitTask(request, spec));
}

void JobActions::lookUp(int request, const jobs::JobId &id)
{
    start(request, lookUpTask(request, id));
}

void JobActions::prepare(int request, const jobs::Resubmission &repeat)
{
    start(request, prepareTask(request, repeat));
}

void JobActions::repeat(int request, const QList<jobs::Resubmission> &repeats)
{
    start(request, repeatTask(request, repeats));
}

async::Task<void> JobActions::submitTask(int request, jobs::JobSpec spec)
{
    co_await jobs::requireClockToSign(cluster());
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster());
    jobs::Submitter submitter(cluster(), config);
    jobs::noteSubmit(spec);
    std::vector<jobs::Dependency> after = co_await existing(spec.after);
    spec.after = std::move(after);
    const jobs::JobId id = co_await submitter.submit(spec);
    Q_EMIT submitted(request, id);
}

// A job that is named must exist; of a range, the numbers that are no jobs are left out.
async::Task<std::vector<jobs::Dependency>> JobActions::existing(std::vector<jobs::Dependency> after)
{
    std::vector<jobs::Dependency> found;
    for (const jobs::Dependency &one : after) {
        if (!one.tag.isEmpty())
            throw jobs::WrongState(tr("the console does not look up tag:%1; name the jobs by their ids").arg(one.tag));
        try {
            const jobs::JobView job = co_await findAnywhere(one.on);
            found.push_back(one);
        } catch (const jobs::NotFound &) {
            if (!one.range)
                throw;
        }
    }
    if (found.empty() && !after.empty())
        throw jobs::NotFound(tr("no number of %1 is a job").arg(after.front().range->toString()));
    co_return found;
}

async::Task<void> JobActions::lookUpTask(int request, jobs::JobId id)
{
    const jobs::JobView job = co_await findAnywhere(id);
    QStringList why;
    if (job.entry && job.state != jobs::JobState::Running)
        why = co_await whyNotRunning(id);
    Q_EMIT found(request, job, why);
}

async::Task<jobs::JobView> JobActions::findAnywhere(jobs::JobId id)
{
    std::exception_ptr unknown;
    try {
        co_return co_await jobs::lookUp(cluster(), id);
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    std::optional<jobs::JobView> past = co_await m_past.find(id);
    if (!past)
        std::rethrow_exception(unknown);
    co_return std::move(*past);
}

async::Task<QStringList> JobActions::whyNotRunning(jobs::JobId id)
{
    QStringList why;
    try {
        const jobs::Explanation explanation = co_await jobs::explain(cluster(), id);
        for (const jobs::Reason &reason : explanation.reasons)
            why << (reason.advice.isEmpty() ? reason.what
                                            : tr("%1 (%2)", "reason, advice").arg(reason.what, reason.advice));
    } catch (const jobs::NotFound &) { // it has ended meanwhile
    } catch (const zk::ConnectionLoss &) {
        why << tr("not known: the connection broke");
    }
    co_return why;
}

async::Task<void> JobActions::prepareTask(int request, jobs::Resubmission repeat)
{
    const jobs::JobView view = co_await findToRepeat(repeat);
    const jobs::JobSpec spec = jobs::jobToResubmit(view, repeat); // the person looks at it, and submits what is seen
    Q_EMIT prepared(request, spec);
}

void JobActions::findFailed(int request, const QList<jobs::JobId> &jobs)
{
    start(request, findFailedTask(request, jobs));
}

async::Task<void> JobActions::findFailedTask(int request, QList<jobs::JobId> jobs)
{
    QList<jobs::JobId> failed;
    for (const jobs::JobId &id : std::as_const(jobs)) {
        const jobs::JobView view = co_await findAnywhere(id);
        if (const std::optional<qint32> count = failedOf(view)) {
            const QList<jobs::JobId> tasks = co_await failedTasksOf(id, *count);
            failed += tasks;
        } else if (view.state == jobs::JobState::Failed) {
            failed.append(id);
        }
    }
    if (failed.isEmpty())
        throw jobs::WrongState(tr("none of these jobs has failed"));
    Q_EMIT failedFound(request, failed);
}

async::Task<QList<jobs::JobId>> JobActions::failedTasksOf(jobs::JobId array, qint32 count)
{
    const QList<jobs::JobState> states{jobs::JobState::Failed};
    const auto most = std::numeric_limits<qsizetype>::max();
    const std::map<jobs::JobId, JobRow> failed = co_await tasksOf(array, states, most);
    if (qint32(failed.size()) < count)
        throw jobs::WrongState(
            tr("of the %1 failed tasks of %2 only %3 are known any more; submit the whole array again")
                .arg(count)
                .arg(array.toString())
                .arg(failed.size()));
    QList<jobs::JobId> ids;
    for (const auto &[id, row] : failed)
        ids.append(id);
    co_return ids;
}

void JobActions::findUnsuccessful(int request, const jobs::JobId &array)
{
    start(request, findUnsuccessfulTask(request, array));
}

async::Task<void> JobActions::findUnsuccessfulTask(int request, jobs::JobId array)
{
    const QList<jobs::JobState> states{jobs::JobState::Failed, jobs::JobState::Cancelled};
    const std::map<jobs::JobId, JobRow> tasks = co_await tasksOf(array, states, MaxTasks);
    QList<JobRow> rows;
    for (const auto &[id, row] : tasks)
        rows.append(row);
    Q_EMIT unsuccessfulFound(request, rows);
}

void JobActions::findNeighbours(int request, const jobs::JobId &id)
{
    start(request, findNeighboursTask(request, id));
}

async::Task<void> JobActions::findNeighboursTask(int request, jobs::JobId id)
{
    const std::shared_ptr<const WaitingJobs> waiting = co_await readWaitingJobs(cluster(), m_waiting);
    m_waiting = waiting;
    const auto lookUp = [this](jobs::JobId job) { return findToDraw(std::move(job)); };
    GraphWalk walk(waiting, lookUp);
    JobGraph graph = co_await walk.around(std::move(id));
    graph.unread = waiting->unread;
    Q_EMIT neighboursFound(request, graph);
}

// A history that does not answer leaves a gap in the graph, and no more.
async::Task<jobs::JobView> JobActions::findToDraw(jobs::JobId id)
{
    QString why;
    try {
        co_return co_await findAnywhere(id);
    } catch (const history::HistoryError &error) {
        why = QString::fromUtf8(error.what());
    }
    throw jobs::NotFound(why);
}

// The next session may be with another cluster.
void JobActions::end()
{
    RequestFeed::end();
    m_waiting.reset();
}

// First where they are for a while, then where they go from there.
async::Task<std::map<jobs::JobId, JobRow>> JobActions::tasksOf(jobs::JobId array, QList<jobs::JobState> states,
                                                               qsizetype most)
{
    std::map<jobs::JobId, JobRow> tasks;
    const zk::Answer<zk::Children> done = co_await cluster().zk.children(cluster().layout.done());
    std::vector<jobs::JobId> ids;
    std::vector<zk::Path> paths;
    for (const QByteArray &name : done->names) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
        if (!id || !id->isTask() || id->array() != array || qsizetype(ids.size()) >= most)
            continue;
        ids.push_back(*id);
        paths.push_back(cluster().layout.done(*id));
    }
    const std::vector<zk::Answer<zk::Node>> nodes = co_await jobs::readNodes(cluster().zk, std::move(paths));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto record = nodes[i].ok() ? jobs::tryDecode<jobs::FinalRecord>(nodes[i]->data, ids[i]) : std::nullopt;
        if (record && states.contains(record->state()))
            tasks.emplace(ids[i], endedRow(*record, nodes[i]->stat.ctime));
    }
    for (const jobs::JobState state : std::as_const(states)) {
        const QList<JobRow> past = co_await m_past.tasksOf(array, state, most);
        for (const JobRow &row : past)
            tasks.emplace(row.id, row);
    }
    co_return tasks;
}

// Tasks may have ended before their array.
async::Task<jobs::JobView> JobActions::findToRepeat(jobs::Resubmission repeat)
{
    jobs::JobView view = co_await findAnywhere(repeat.id);
    if (view.entry && !repeat.tasks)
        throw jobs::WrongState(tr("job %1 has not ended").arg(repeat.toString()));
    co_return view;
}

async::Task<void> JobActions::repeatTask(int request, QList<jobs::Resubmission> repeats)
{
    co_await jobs::requireClockToSign(cluster());
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster());
    jobs::Submitter submitter(cluster(), config);
    jobs::Prover prover(cluster()); // no person looks at them
    QList<Repeated> outcomes;
    for (const jobs::Resubmission &repeat : std::as_const(repeats)) {
        Repeated outcome{repeat};
        try {
            const jobs::JobView view = co_await findToRepeat(repeat);
            jobs::JobSpec spec = co_await prover.jobToResubmit(view, repeat);
            jobs::noteSubmit(spec);
            const jobs::JobId made = co_await submitter.submit(spec);
            outcome.made = made;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) { // the others are still to be submitted
            outcome.why = QString::fromUtf8(error.what());
        }
        outcomes.append(outcome);
    }
    Q_EMIT repeated(request, outcomes);
}

} // namespace drover::gui
