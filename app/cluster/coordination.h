#pragma once

#include "app/cli/failure.h"
#include "app/environment/context.h"
#include "async/or_timeout.h"

namespace drover::app {

// Parts of the commands for scripts: lock, semaphore, elect, barrier ...

// The znode of the recipe that a command uses: NAME in the cluster, which must exist, or the value of --path.
struct RecipeNode {
    zk::Client *zk = nullptr;
    zk::Path path;
    QString what; // "lock db", for messages
};

using PathOfName = zk::Path (jobs::Layout::*)(const QByteArray &name) const;

// The znode name for the NAME of a lock, a limit and so on. Throws UsageError if it is not valid.
QByteArray placeName(const char *kind, const QString &name);

// Connects and returns the node. `kind` is the recipe's name for users: "lock". Throws UsageError for an invalid name
// or path, and the errors of Context::openCluster().
async::Task<RecipeNode> openRecipeNode(Context &context, const char *kind, PathOfName ofName);

QCommandLineOption pathOption();
QCommandLineOption timeoutOption();

// For commands with --try: throws UsageError if --timeout is given as well.
void requireTryOrTimeout(const Arguments &arguments);

// Describes this process for people who read the znode: "host process 4711: COMMAND". If it runs under locks, for the
// console, too: whose they are (recipes/locks/outer_owners.h).
QByteArray describeUs(const QString &command);

// Runs the task, with the deadline of --timeout if it is given. Throws CommandError (Timeout) with the message
// `tooLate`.
template <typename T>
async::Task<T> withinTimeout(Context &context, async::Task<T> task, QString tooLate)
{
    if (!context.arguments().has("timeout"))
        co_return co_await task;
    const std::chrono::milliseconds limit = context.arguments().timeout();
    try {
        co_return co_await async::orTimeout(context.loop(), std::move(task), limit);
    } catch (const async::Timeout &) {
    }
    throw CommandError(ExitTimeout, tooLate);
}

// With --try it returns the result of `attempt`, or throws CommandError (WrongState) with the message `taken`. Without,
// it runs `waiting` as above. Only one of the two tasks is started.
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
