#pragma once

#include "async/boot_clock.h"
#include "workers/process/runner_client.h"

#include <QByteArrayList>
#include <QObject>

#include <string_view>

namespace drover::workers {

class RunnerChild;

// A command that shares this process's terminal, streams, environment and directory, under the guard of a drover-runner
// (runner/guard.h). The guard kills the command and all its descendants when the lease passes or this process dies,
// even if this process is stopped. When the command ends, the guard kills the descendants that are left.
//
// This process becomes a subreaper and must have no other children. If the guard itself is killed, its orphans become
// children of this process, which kills them.
class GuardedProcess final : public QObject
{
    Q_OBJECT

public:
    struct Options {
        QByteArrayList command; // the first word is searched in PATH, unless it has a slash
        QByteArrayList environment; // "NAME=value", the whole environment
        async::TimePoint lease;
        bool foreground = false; // the command's process group gets our terminal
        ProcessView view = ProcessView::Machine; // Own: in a pid namespace
        QString program = RunnerClient::findProgram();
    };

    struct End {
        enum How {
            Exited, // value: the exit code
            Signalled, // value: the signal
            FailedToStart, // value: the errno
            LeasePassed, // it was killed, or never began
            GuardDied, // the command was killed; see `reason`
        };
        How how;
        int value = 0;
        QString reason{};
    };

    // Throws RunnerDied if the guard cannot be started, or a requested pid namespace is not available.
    explicit GuardedProcess(const Options &options);
    // Kills all processes and waits for their ends.
    ~GuardedProcess() override;

    // Sets the end of the lease. After it no process of the command runs. A time in the past kills all at once.
    void setLease(async::TimePoint until);
    void signal(int number); // to the command's process group
    void resume(bool foreground); // after stopped()
    // Kills a guard that does not respond, and all other processes.
    void abandon();

Q_SIGNALS:
    void stopped(int signal); // a signal has stopped the command
    // Emitted once, when no process of the command is left. The receiver may destroy this object.
    void ended(const End &end);

private:
    void onReceived(std::string_view bytes);
    void onDied(const QString &reason);
    void finish(const End &end);
    void send(qint64 kind, qint64 value);

    bool m_ended = false;
    std::unique_ptr<RunnerChild> m_guard;
};

} // namespace drover::workers
