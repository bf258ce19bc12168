#pragma once

#include "app/context.h"
#include "app/failure.h"
#include "async/or_timeout.h"
#include "recipes/node_kind.h"

namespace drover::app {

// What the commands for scripts have in common: lock, semaphore, elect, barrier ...

// The recipe that a command is about: NAME in the cluster, which has to exist, or wherever --path says.
struct Place {
    zk::Coordinator *zk = nullptr;
    zk::Path path;
    QString what; // "lock db", for messages
};

using PathOfName = zk::Path (jobs::Layout::*)(const QByteArray &name) const;

// The NAME of a lock, a limit and so on, as znodes are called. Throws UsageError if it is none.
QByteArray placeName(const char *kind, const QString &name);

// `kind` is what the user calls it: "lock". Connects. Throws UsageError for a name or path that is none, and what
// Context::openCluster() throws.
async::Task<Place> openPlace(Context &context, const char *kind, PathOfName ofName);

// What to do about a znode that is in use by another recipe: which option, or which command, speaks its layout.
QString adviceOn(const recipes::OtherLayout &other);

QCommandLineOption pathOption();
QCommandLineOption timeoutOption();

// For commands with --try: throws UsageError if --timeout is given as well.
void requireTryOrTimeout(const Arguments &arguments);

// Who we are, for others to read in the znode: "host process 4711: COMMAND".
QByteArray describeUs(const QString &command);

// The task, with the deadline of --timeout if there is one. Throws CommandError (Timeout) with `tooLate` as its line.
template <typename T>
async::Task<T> withinTimeout(Context &context, async::Task<T> task, QString tooLate)
{
    if (!context.arguments().has("timeout"))
        co_return co_await task;
    const std::chrono::milliseconds limit = context.arguments().duration("timeout", {});
    try {
        co_return co_await async::orTimeout(context.loop(), std::move(task), limit);
    } catch (const async::Timeout &) {
    }
    throw CommandError(ExitTimeout, tooLate);
}

// With --try what `attempt` finds free, or CommandError (WrongState) with `taken`; without, what `waiting` gives, as
// above. Only one of the two is started.
template <typename T>
async::Task<T> tryOrWait(Context &context, async::Task<std::optional<T>> attempt, QString taken, async::Task<T> waiting,
                         QString tooLate)
{
    if (!context.arguments().has("try"))
        co_return co_await withinTimeout(context, std::move(waiting), tooLate);
    std::optional<T> free = co_await attempt;
    if (!free)
        throw CommandError(ExitWrongState, taken);
    co_return std::move(*free);
}

} // namespace drover::app
