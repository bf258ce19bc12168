#include "workers/attempts/outcome_reporter.h"

#include "async/first_of.h"
#include "async/or_timeout.h"
#include "jobs/cluster/members.h"
#include "jobs/cluster/read_nodes.h"
#include "output/spool_files.h"
#include "workers/attempts/command_translation.h"
#include "workers/claims/reporter.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcOutcomeReporter, "drover.workers.outcome_reporter")

namespace {

constexpr auto KeptPatience = 5s; // what has ended need not run again; but a file that it is appended to may hang

// Whether the attempt's own give-back was the last that happened to the job: one change, after which one attempt less
// counts. A claim counts one more, and a cancel as many. The node is the one that was claimed, and none of a queue that
// was made anew, whose numbers begin again.
bool wasOnlyReturned(const ClaimedJob &job, const jobs::JobSpec &spec, const zk::Stat &stat)
{
    const qint32 number = job.attempts.number();
    const bool isThatNode = stat.czxid < job.claimZxid && stat.mzxid > job.fenceZxid();
    return isThatNode && number > 0 && stat.version == job.fenceVersion() + 1
        && spec.attempts(stat.version).number() == number - 1;
}

// Whether the attempt with this claim is still the job's: the claim, or the beginning, was the last that happened to
// the job, or its own give-back, if it had succeeded. A cancel came after it, and so did whatever else ended this
// attempt before. Then the job has what its node says.
bool readIfCurrent(ClaimedJob &job, const Outcome &outcome, const zk::Answer<zk::Node> &node)
{
    if (!node.ok())
        return false;
    const auto spec = jobs::tryDecode<jobs::JobSpec>(node->data, job.id.queue, job.entry.priority);
    if (!spec)
        return false;
    if (outcome.succeeded() && wasOnlyReturned(job, *spec, node->stat))
        job.returnZxid = node->stat.mzxid;
    else
        job.attempts = spec->attempts(job.fenceVersion());
    job.kept = true;
    job.stored = node->data;
    job.spec = *spec;
    return node->stat.version == job.fenceVersion() && node->stat.mzxid == job.fenceZxid();
}

} // namespace

OutcomeReporter::OutcomeReporter(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner,
                                 Reporter &reporter, zk::ServerClock &clock, WorkerConditions &conditions)
    : m_cluster(std::move(cluster)), m_options(options), m_runner(runner), m_reporter(reporter), m_clock(clock),
      m_conditions(conditions), m_appender(m_cluster, options.id.toUtf8(), options.bounds, options.policy.outputFolders)
{
}

async::Task<bool> OutcomeReporter::report(ClaimedJob job, Outcome outcome)
{
    jobs::FinalRecord record = recordOf(job, m_options, outcome);
    // Asked of the command's own end: one that has succeeded does not run again because of what comes after it.
    const bool again = runsAgain(job, record);
    if (record.outcome == jobs::FinalRecord::Outcome::Refused)
        qCWarning(lcOutcomeReporter, "%s is refused: %s", record.id.bytes().constData(), qPrintable(record.reason));
    if (!again && OutputAppender::needsFile(job, outcome, record)) {
        const bool settled = co_await append(job, outcome, record);
        if (!settled)
            co_return false;
    }
    if (again)
        co_await retryLater(job, record, outcome.runId);
    else
        finish(job, record, outcome.runId);
    co_return true;
}

// A refused job whose end is void is claimed again, and is counted then.
void OutcomeReporter::finish(const ClaimedJob &job, const jobs::FinalRecord &record, RunId runId)
{
    const bool isRefused = record.outcome == jobs::FinalRecord::Outcome::Refused;
    m_reporter.finish(job, record, [this, runId, isRefused](bool isStored) {
        m_runner.acknowledge(runId);
        if (isRefused && isStored)
            m_conditions.jobsRefused(1);
    });
}

async::Task<bool> OutcomeReporter::askFile(ClaimedJob job, jobs::FinalRecord &record)
{
    const Outcome none;
    if (!OutputAppender::needsFile(job, none, record))
        co_return true;
    const bool settled = co_await append(job, none, record);
    co_return settled;
}

bool OutcomeReporter::runsAgain(const ClaimedJob &job, const jobs::FinalRecord &record) const
{
    return record.state() == jobs::JobState::Failed && record.outcome != jobs::FinalRecord::Outcome::Refused
        && job.spec.retry.covers(record.exitCode(), job.spec.notes.failed);
}

// A file server or another writer may hang for ever: abandon() ends that, for the same may be appended once more.
// False: it has, or the session has ended, and the next life or another attempt will find what was appended.
async::Task<bool> OutcomeReporter::append(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record)
{
    bool settled = false;
    try {
        co_await async::firstOf(m_cluster.zk.loop(), appendNow(job, outcome, record, settled),
                                async::untilSet(m_abandoned));
    } catch (const zk::SessionLost &) {
        // The outcome is unknown.
    }
    co_return settled;
}

async::Task<void> OutcomeReporter::appendNow(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record, bool &settled)
{
    const QString stored = output::SpoolFiles::of(m_options.spool, job.id, job.attempts.claimVersion).output;
    co_await m_appender.append(job, outcome, stored, record);
    settled = true;
}

// By the servers' clock, which a claim measures, unless its reply was lost or it was an earlier life's.
async::Task<void> OutcomeReporter::retryLater(ClaimedJob job, jobs::FinalRecord record, RunId runId)
{
    try {
        if (!m_clock.isMeasured())
            co_await jobs::measureClock(m_cluster, m_options.id.toLatin1(), m_clock);
    } catch (const zk::SessionLost &) { // the report is not sent, and the next life finds the end again
    }
    constexpr double Range = 4294967296.0; // of a uuid's first part
    const double chance = m_cluster.zk.loop().makeUuid().data1 / Range;
    const std::chrono::milliseconds delay = job.spec.retry.delay(job.spec.notes.failed, chance);
    const int exitCode = record.exitCode();
    record.outcome = jobs::FinalRecord::Outcome::Cancelled;
    record.reason = QStringLiteral("cancelled when it was to be tried again");
    m_reporter.retry(job, m_clock.now() + delay, exitCode, record,
                     [this, runId](bool) { m_runner.acknowledge(runId); });
}

// Pipelined: each round trip is a moment in which another worker may claim the jobs.
async::Task<std::vector<OutcomeReporter::KeptEnd>> OutcomeReporter::currentEnds()
{
    std::vector<KeptEnd> ends;
    std::vector<zk::Path> paths;
    for (KeptResult &kept : m_runner.kept()) {
        std::optional<ClaimedJob> job = decodeClaim(kept.keptClaim);
        if (!job) {
            m_runner.acknowledge(kept.outcome.runId);
            continue;
        }
        paths.push_back(m_cluster.layout.job(job->id.queue, job->entry));
        paths.push_back(m_cluster.layout.claim(job->id));
        ends.push_back({std::move(*job), std::move(kept.outcome)});
    }
    const std::vector<zk::Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    std::vector<KeptEnd> current;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const zk::Answer<zk::Node> &node = nodes[2 * i];
        KeptEnd &end = ends[i];
        if (node.is(zk::Code::NoAuth))
            continue; // until an administrator has changed it
        if (!readIfCurrent(end.job, end.outcome, node)) {
            m_runner.acknowledge(end.outcome.runId);
            continue;
        }
        end.job.claimHasGone = nodes[2 * i + 1].is(zk::Code::NoNode);
        current.push_back(std::move(end));
    }
    co_return current;
}

async::Task<void> OutcomeReporter::reportKeptAtOnce()
{
    std::vector<KeptEnd> ends = co_await currentEnds();
    std::erase_if(ends, [this](const KeptEnd &end) {
        const jobs::FinalRecord record = recordOf(end.job, m_options, end.outcome);
        return !runsAgain(end.job, record) && OutputAppender::needsFile(end.job, end.outcome, record);
    });
    const auto again = std::stable_partition(ends.begin(), ends.end(), [this](const KeptEnd &end) {
        return !runsAgain(end.job, recordOf(end.job, m_options, end.outcome));
    });
    std::for_each(ends.begin(), again, [this](const KeptEnd &end) { reportAgain(end); });
    if (again != ends.end() && !m_clock.isMeasured())
        co_await jobs::measureClock(m_cluster, m_options.id.toLatin1(), m_clock); // by the last session's node
    if (m_clock.isMeasured())
        std::for_each(again, ends.end(), [this](const KeptEnd &end) { reportAgain(end); });
    co_await drained();
}

async::Task<void> OutcomeReporter::reportKept()
{
    const std::vector<KeptEnd> ends = co_await currentEnds();
    std::for_each(ends.begin(), ends.end(), [this](const KeptEnd &end) { reportAgain(end); });
    if (m_kept.empty())
        co_return;
    try {
        co_await async::orTimeout(m_cluster.zk.loop(), drained(), KeptPatience);
    } catch (const async::Timeout &) {
        // They go on beside the pulling.
    }
}

void OutcomeReporter::reportAgain(const KeptEnd &end)
{
    ++m_keptReported;
    m_kept.spawn(reportKeptEnd(end));
}

async::Task<void> OutcomeReporter::reportKeptEnd(KeptEnd end)
{
    co_await report(std::move(end.job), std::move(end.outcome)); // or it is kept for another life
}

} // namespace drover::workers
