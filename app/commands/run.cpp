#include "app/commands/commands.h"
#include "app/context.h"
#include "app/failure.h"
#include "app/job_fate.h"
#include "app/job_output.h"
#include "app/output_form.h"
#include "app/past_jobs.h"
#include "app/submission.h"
#include "async/task_group.h"
#include "jobs/cancel.h"
#include "jobs/submitter.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

// Turns the first Ctrl-C into a cancelled job. A later one ends the command at once: not before the cancellation is in
// ZooKeeper, or has taken a second, because one wish may come as two signals (timeout signals its child and its group).
class CancelOnInterrupt
{
public:
    CancelOnInterrupt(Context &context, zk::Coordinator &zk)
        : m_context(context), m_zk(zk), m_guard(context.unixSignals(), [this](int signal) { onSignal(signal); })
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
        Output::hint(QStringLiteral("cancelling the job; once more to leave it alone"));
        if (m_id)
            m_background.spawn(cancelJob());
    }

    async::Task<void> cancelJob()
    {
        try {
            co_await jobs::cancel(m_zk, m_context.layout(), *m_id);
            m_cancelled = true;
        } catch (const jobs::WrongState &) { // it was faster
        } catch (const zk::Error &) { // the command itself hears of it
        }
    }

    static constexpr async::Duration Patience = 1s;

    Context &m_context;
    zk::Coordinator &m_zk;
    std::optional<jobs::JobId> m_id;
    int m_signal = 0;
    async::TimePoint m_since; // of the first signal
    bool m_cancelled = false;
    UnixSignals::Guard m_guard;
    async::TaskGroup m_background;
};

// A job that was archived between two looks is in the history.
async::Task<jobs::FinalRecord> followAnywhere(Context &context, JobOutput &output, jobs::JobId id)
{
    std::optional<jobs::JobView> archived;
    const std::function<jobs::FinalRecord(const jobs::JobView &)> keep = [&archived](const jobs::JobView &past) {
        archived = past;
        return *past.record;
    };
    jobs::FinalRecord record = co_await orPast(context, id, output.follow(id), keep);
    if (archived)
        co_await output.copy(*archived);
    co_return record;
}

async::Task<int> execute(Context &context)
{
    requireNoForm(context.arguments(), "what the job writes");
    const jobs::JobSpec spec = co_await readSpec(context.arguments());
    const QByteArray checked = spec.encode(); // refuses what is too large before anything is asked
    zk::Coordinator *const zk = co_await context.openCluster();
    co_await requireDependencies(context, *zk, spec);
    CancelOnInterrupt interrupt(context, *zk);
    jobs::Submitter submitter(*zk, context.layout(), context.clusterConfig(), whenFull(context));
    submitter.leaveToSession();
    const jobs::JobId id = co_await submitJob(context, submitter, spec);
    interrupt.setJob(id);
    Output::hint(QStringLiteral("job %1").arg(id.toString()));

    JobOutput output(context, *zk, {.output = true, .error = true});
    jobs::JobId present = id; // another, once it has been moved
    try {
        jobs::FinalRecord record = co_await followAnywhere(context, output, present);
        while (record.movedTo) {
            Output::hint(QStringLiteral("job %1 %2").arg(present.toString(), record.reason));
            present = *record.movedTo;
            interrupt.setJob(present);
            record = co_await followAnywhere(context, output, present);
        }
        if (interrupt.signal())
            co_return ExitSignalBase + interrupt.signal();
        if (const QString became = fate(record); !became.isEmpty())
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
                "Ctrl-C cancels the job.",
            .options = submissionOptions() + QList{waitForRoomOption()},
            .takes = {{ValueKind::Program}},
            .minArguments = 0,
            .maxArguments = Command::Unlimited,
            .runsProgram = true,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
