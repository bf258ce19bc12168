#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/environment/up_state.h"

#include <cerrno>
#include <csignal>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr auto StopLimit = 60s; // what the workers are given, then ZooKeeper's grace
constexpr auto SilentFor = 2s; // longer than it takes when nothing runs

void terminate(qint64 pid)
{
    if (::kill(static_cast<pid_t>(pid), SIGTERM) != 0 && errno != ESRCH)
        throw CommandError(ExitDenied, QStringLiteral("cannot stop process %1: it is another user's").arg(pid));
}

async::Task<int> execute(Context &context)
{
    qint64 pid = 0;
    const async::TimePoint begun = context.loop().now();
    const async::TimePoint deadline = begun + StopLimit;
    bool told = false;
    // The holder changes when `drover up --detach`, which has only looked, makes way for the process that it starts.
    while (const qint64 holder = UpState::holder()) {
        if (holder != pid)
            terminate(holder);
        pid = holder;
        if (!told && context.loop().now() - begun > SilentFor) {
            Output::message(QStringLiteral("waiting for the jobs that run: they get ten seconds to end"));
            told = true;
        }
        if (context.loop().now() > deadline)
            throw CommandError(
                ExitTimeout,
                QStringLiteral("process %1 has not stopped within 60s; kill %1 stops it at once").arg(pid));
        co_await async::sleepFor(context.loop(), 20ms);
    }
    if (pid == 0) {
        Output::message(QStringLiteral("nothing to stop: drover up is not running"));
        co_return ExitOk;
    }
    if (context.out().isTable())
        context.out().line(QStringLiteral("stopped"));
    else
        context.out().object({}, {{QStringLiteral("pid"), pid}, {QStringLiteral("stopped"), true}});
    co_return ExitOk;
}

} // namespace

Command down()
{
    return {.name = "down",
            .summary = "Stop the cluster that drover up has started",
            .details = "Running jobs get ten seconds to end. Those that do not get SIGTERM, SIGKILL after their own "
                       "grace, and run again after the next drover up; it does not count as an attempt.",
            .examples = {"drover down"},
            .exits = {{"0", "it has stopped, or none ran"},
                      {"5", "it is another user's"},
                      {"124", "it did not stop in time"}},
            .run = execute};
}

} // namespace drover::app
