#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/client/job_requirements.h"

#include <csignal>

namespace drover::app {

namespace {

// Throws UsageError.
int parseSignal(const QString &text)
{
    const QByteArray name = text.toUpper().toLatin1();
    for (int number = 1; number <= SIGRTMAX; ++number) {
        const char *const abbreviation = ::sigabbrev_np(number);
        if (name == QByteArray::number(number)
            || (abbreviation && (name == abbreviation || name == QByteArray("SIG") + abbreviation)))
            return number;
    }
    throw UsageError(QStringLiteral("\"%1\" is not a signal; give a name or a number: TERM, USR1, 15").arg(text));
}

async::Task<QJsonObject> signalOne(jobs::Cluster cluster, jobs::JobId id, int number)
{
    const jobs::JobChange change = co_await jobs::sendSignal(cluster, id, number);
    co_return changeRow(id, change, QStringLiteral("signalled"));
}

async::Task<int> execute(Context &context)
{
    const QStringList words = context.arguments().positional();
    const int number = parseSignal(words.first());
    const auto act = [number](jobs::Cluster cluster, const jobs::JobId &id) {
        return signalOne(std::move(cluster), id, number);
    };
    return actOnJobs(context, words.mid(1),
                     {.participle = "signalled",
                      .arrays = JobSelection::Arrays::TasksAlone,
                      .act = act,
                      .check = jobs::requireClaimed});
}

} // namespace

Command signal()
{
    return bulkCommand(
        {.name = "signal",
         .synopsis = "[OPTIONS] SIGNAL [ID | FIRST..LAST]...",
         .summary = "Send a signal to running jobs, to all of their processes",
         .details = "SIGNAL is a name or a number: USR1, HUP, 15. The request is stored; the job's worker sends the "
                    "signal once.",
         .takes = {{CompletionKind::Signal}, {CompletionKind::RunningJob}},
         .examples = {"drover signal HUP default-42", "drover signal TERM --tag nightly"},
         .run = execute});
}

} // namespace drover::app
