#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "app/cli/standard_input.h"
#include "app/commands/commands.h"
#include "app/commands/jobs/waiting_notice.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/dependencies.h"
#include "app/jobs/job_output.h"
#include "app/jobs/outcome_text.h"
#include "app/submission/submission.h"
#include "async/task_group.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/own_clock.h"
#include "jobs/client/submitter.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

// Turns the first Ctrl-C into a cancelled job. A later one ends the command at once: not before the cancellation is in
// ZooKeeper, or has taken a second, because one wish may come as two signals (timeout signals its child and its group).
class CancelOnInterrupt
{
public:
    CancelOnInterrupt(Context &context, jobs::Cluster cluster)
        : m_context(context), m_cluster(std::move(cluster)),
          m_guard(context.unixSignals(), [this](int signal) { onSignal(signal); })
    {
    }

    // From now on there is a job to cancel; what came before counts.
    void setJob(const jobs::JobId &id)
    {
        m_id = id;
        if (m_signal)
            m_background.spawn(cancelJob());
    }
    int signal() const { return m_signal; }

private:
    void onSignal(int signal)
    {
        if (m_signal) {
            if (m_cancelled || m_context.loop().now() - m_since >= Patience)
                m_guard.passOn(signal);
            return;
        }
        m_signal = signal;
        m_since = m_context.loop().now();
        Output::hint(QStringLiteral("cancelling the job; press Ctrl-C again to stop waiting for it"));
        if (m_id)
            m_background.spawn(cancelJob());
    }

    async::Task<void> cancelJob()
    {
        try {
            co_await jobs::cancel(m_cluster, *m_id);
            m_cancelled = true;
        } catch (const jobs::WrongState &) { // it was faster
        } catch (const zk::AccessDenied &) {
            m_cancelled = true; // no better time comes for it
            Output::message(QStringLiteral("job %1 goes on, as to cancel it needs the role operate; press Ctrl-C again "
                                           "to stop waiting for it")
                                .arg(m_id->toString()));
        } catch (const zk::Error &) { // the command itself hears of it
        }
    }

    static constexpr async::Duration Patience = 1s;

    Context &m_context;
    jobs::Cluster m_cluster;
    std::optional<jobs::JobId> m_id;
    int m_signal = 0;
    async::TimePoint m_since; // of the first signal
    bool m_cancelled = false; // or never will be
    UnixSignals::Guard m_guard;
    async::TaskGroup m_background;
};

async::Task<int> execute(Context &context)
{
    requireNoForm(context.arguments(), "the output of the job");
    const jobs::JobSpec asked = co_await readSpec(context.arguments());
    asked.requireFits(); // before ZooKeeper is asked
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::requireClockToSign(cluster);
    const jobs::JobSpec spec = co_await withDependencies(context, cluster, asked);
    CancelOnInterrupt interrupt(context, cluster);
    jobs::Submitter submitter(cluster, context.clusterConfig(), whenFull(context));
    submitter.leaveToSession();
    const jobs::JobId id = co_await submitJob(context, submitter, spec);
    interrupt.setJob(id);
    Output::hint(QStringLiteral("job %1").arg(id.toString()));
    if (spec.input.isEmpty() && hasUnreadInput())
        Output::message(QStringLiteral("standard input is not passed on to jobs: write it to a file and give --input "
                                       "FILE, or end the line with < /dev/null"));

    WaitingNotice notice(context, cluster);
    co_await notice.warnIfUnfit(id, spec);
    notice.watch(id);
    JobOutput output(context, cluster, {.output = true, .error = true},
                     JobStreams::Shown::AsWritten); // it is the caller's own job
    jobs::JobId present = id; // another, once it has been moved
    const JobOutput::Moved moved = [&](const jobs::JobId &to) {
        present = to;
        interrupt.setJob(to);
        notice.watch(to);
    };
    try {
        const jobs::FinalRecord record = co_await output.followAnywhere(id, moved);
        if (interrupt.signal())
            co_return ExitSignalBase + interrupt.signal();
        if (const QString became = outcomeText(record); !became.isEmpty())
            Output::message(QStringLiteral("job %1 %2").arg(present.toString(), became));
        co_return record.exitCode();
    } catch (const zk::SessionLost &error) {
        throw lostWhileWaiting(present, QStringLiteral("drover logs -f ") + present.toString(), error);
    }
}

} // namespace

Command run()
{
    return {.name = "run",
            .synopsis = "[OPTIONS] [-- COMMAND [ARGUMENT...]]",
            .summary = "Run a job, show its output, return its exit code",
            .details =
                "Returns the job's own exit code, 128 + N if signal N ended it, 124 if its time limit did, 125 if\n"
                "it never had a code, 74 if it succeeded and --append-to could not append its output.\n"
                "Ctrl-C cancels the job, which in a closed cluster needs the role operate as well. While the\n"
                "job waits, a message says for what: that of drover why.",
            .options = submissionOptions() + QList{waitForRoomOption()},
            .takes = {{CompletionKind::Program}},
            .argumentCount = {0, Command::Unlimited},
            .runsProgram = true,
            .needs = {{trust::Role::Submit, {}, Need::Signs}},
            .check = "drover ls --all",
            .examples = {"drover run -- echo hello", "drover run --time-limit 10m --label gpu -- ./train --epochs 3",
                         "drover run --secret DB_PASSWORD=file:/etc/drover/secrets/db -- ./load"},
            .exits = {{"3", "there is no such queue, or no job that --after names"},
                      {"4", "this machine's clock is more than 5 minutes ahead of ZooKeeper's"},
                      {"7", "the queue is full"},
                      {"125", "the job ended without an exit code"},
                      {"N", "the job's own exit code; 128 + N when signal N ended it"}},
            .run = execute};
}

} // namespace drover::app
