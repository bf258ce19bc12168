#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/demo/demo_run.h"
#include "app/demo/report.h"
#include "app/demo/word_count.h"
#include "app/environment/context.h"
#include "async/offload.h"
#include "recipes/locks/read_write_lock.h"

namespace drover::app {

namespace {

// For those who look at the lock's line: which job waits here.
QByteArray about(const QString &name)
{
    const QByteArray job = qgetenv("DROVER_JOB_ID");
    const QByteArray attempt = qgetenv("DROVER_ATTEMPT");
    return (job.isEmpty() ? QByteArray("no job") : job + ", attempt " + attempt) + ": " + name.toUtf8();
}

async::Task<int> run(Context &context)
{
    const QString name = context.arguments().at(1);
    const DemoReport report(context.arguments().at(2));
    const DemoReport::Line line{countWords(context.arguments().at(0)),
                                name}; // before there is a session to be kept alive

    zk::Client *const zk = co_await context.connect(DemoRun::SessionTimeout);
    recipes::ReadWriteLock named(*zk, context.layout().lock(DemoRun::ReportLock));
    recipes::Lock lock = co_await named.writer().acquire(about(name));
    if (zk->aliveUntil() <= context.loop().now())
        throw CommandError(ExitError, QStringLiteral("the lock may be another's by now: nothing was written"));
    const std::function<bool()> append = [report, line] { return report.append(line); };
    const bool added = co_await async::offload(context.loop(), append);
    lock.release();
    context.out().line(QStringLiteral("%1 words in %2%3")
                           .arg(line.words)
                           .arg(name, added ? QString() : QStringLiteral(" (an earlier attempt has reported it)")));
    co_return ExitOk;
}

} // namespace

Command demoCount()
{
    return {.name = "demo-count",
            .synopsis = "FILE NAME REPORT",
            .summary = "A job of the demo: count one file into the shared report",
            .details = "Counts the words of FILE and appends \"<words> NAME\" to REPORT under the cluster's lock "
                       "\"report\", unless that line is there already.",
            .argumentCount = {3, 3},
            .run = run};
}

} // namespace drover::app
