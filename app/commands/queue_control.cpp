#include "app/commands/commands.h"
#include "app/context.h"
#include "app/failure.h"
#include "app/units.h"
#include "jobs/queue_settings.h"
#include "jobs/submit_note.h"

namespace drover::app {

namespace {

// A queue of jobs; those of items are another thing and have no such switches.
QByteArray queueArgument(const Arguments &arguments)
{
    const QString queue = arguments.at(0);
    if (!jobs::isValidName(queue))
        throw UsageError(QStringLiteral("\"%1\" is no queue of jobs; drover queue ls lists them").arg(queue));
    return queue.toLatin1();
}

async::Task<int> pause(Context &context)
{
    const QByteArray queue = queueArgument(context.arguments());
    zk::Coordinator *const zk = co_await context.openCluster();
    const QString why = context.arguments().value("why");
    const QString by = jobs::submitterName();
    const std::chrono::milliseconds now = context.loop().wallClock();
    const auto change = [&](jobs::QueueSettings &settings) {
        if (settings.paused && why.isEmpty())
            return; // it stays as somebody has paused it
        settings.paused = true;
        settings.pausedBy = by;
        settings.why = why;
        settings.pausedAt = now;
    };
    co_await jobs::changeQueue(*zk, context.layout(), queue, change);
    co_return ExitOk;
}

async::Task<int> resume(Context &context)
{
    const QByteArray queue = queueArgument(context.arguments());
    zk::Coordinator *const zk = co_await context.openCluster();
    const auto change = [](jobs::QueueSettings &settings) {
        const int limit = settings.limit;
        settings = {};
        settings.limit = limit;
    };
    co_await jobs::changeQueue(*zk, context.layout(), queue, change);
    co_return ExitOk;
}

async::Task<int> limit(Context &context)
{
    const QByteArray queue = queueArgument(context.arguments());
    const QString text = context.arguments().at(1);
    const qint64 limit =
        text == u"none" ? 0 : parseInteger(text, QStringLiteral("N"), 1, jobs::QueueSettings::MaxLimit);
    zk::Coordinator *const zk = co_await context.openCluster();
    co_await jobs::limitQueue(*zk, context.layout(), queue, static_cast<int>(limit));
    co_return ExitOk;
}

} // namespace

Command queuePause()
{
    return {.name = "queue pause",
            .synopsis = "[OPTIONS] QUEUE",
            .summary = "Let no more jobs of a queue begin; those that run go on",
            .details = "Jobs may be submitted to it as before. Once this returns none is claimed any more.",
            .options = {option("why", "the reason, for others to read", "TEXT")},
            .takes = {{ValueKind::Queue}},
            .minArguments = 1,
            .maxArguments = 1,
            .check = "drover queue ls",
            .run = pause};
}

Command queueResume()
{
    return {.name = "queue resume",
            .synopsis = "[OPTIONS] QUEUE",
            .summary = "Let the jobs of a paused queue begin again",
            .takes = {{ValueKind::Queue}},
            .minArguments = 1,
            .maxArguments = 1,
            .check = "drover queue ls",
            .run = resume};
}

Command queueLimit()
{
    return {.name = "queue limit",
            .synopsis = "[OPTIONS] QUEUE N|none",
            .summary = "Let at most N jobs of a queue run at a time, in the whole cluster",
            .details =
                "Those that run already go on; how many jobs a queue takes is another\nlimit: drover cluster limits.",
            .takes = {{ValueKind::Queue}, {}},
            .minArguments = 2,
            .maxArguments = 2,
            .check = "drover queue ls",
            .run = limit};
}

} // namespace drover::app
