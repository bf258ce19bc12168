#pragma once

#include "async/boot_clock.h"
#include "workers/runner_client.h"

#include <QByteArrayList>
#include <QObject>

#include <string_view>

namespace drover::workers {

class RunnerProcess;

// A command that shares this process's terminal, streams, environment and directory, under the guard of a drover-runner
// (runner/guard.h). The guard kills the command and all that it started when the lease passes, whatever has become of
// this process by then, and when this process dies; what the command leaves running is killed when it ends.
//
// This process becomes a subreaper and may have no other children: what a guard leaves that is killed itself is found
// among them, and killed here.
class GuardedProcess final : public QObject
{
    Q_OBJECT

public:
    struct Options {
        QByteArrayList command; // the first word is looked for in PATH unless it has a slash
        QByteArrayList environment; // "NAME=value", the whole of it
        async::TimePoint lease;
        bool foreground = false; // the command's process group gets the terminal that is our standard input
        ProcessView view = ProcessView::Machine; // Own: in a pid namespace
        QString program = ProcessRunner::findProgram();
    };

    struct End {
        enum How {
            Exited, // value: the exit code
            Signalled, // value: the signal
            FailedToStart, // value: the errno
            LeasePassed, // it was killed, or has never begun
            GuardDied, // of which `reason` speaks; the command was killed
        };
        How how;
        int value = 0;
        QString reason{};
    };

    // Throws RunnerDied when the guard cannot be started, or not in a pid namespace where that is asked for.
    explicit GuardedProcess(const Options &options);
    // Kills everything and waits for that.
    ~GuardedProcess() override;

    // A time that has passed kills everything. Past it nothing of the command runs.
    void setLease(async::TimePoint until);
    void signal(int number); // to the command's process group
    void resume(bool foreground); // after stopped()
    // Kills the guard, which does not do its work, and everything else.
    void abandon();

Q_SIGNALS:
    void stopped(int signal); // the command, from a terminal or otherwise
    // Once; nothing of the command is left then. The receiver may destroy this object.
    void ended(const End &end);

private:
    void onReceived(std::string_view bytes);
    void onDied(const QString &reason);
    void finish(const End &end);
    void send(qint64 kind, qint64 value);

    bool m_ended = false;
    std::unique_ptr<RunnerProcess> m_guard;
};

} // namespace drover::workers
