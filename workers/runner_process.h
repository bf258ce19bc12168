#pragma once

#include "workers/runner_start.h"

#include <QObject>
#include <QSocketNotifier>
#include <QString>
#include <QTimer>

#include <deque>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace drover::workers {

// One drover-runner process and the socket to it. Destroying this closes the socket, on which the runner kills its jobs
// and exits; the destructor waits for that (milliseconds; after 6 s it kills the runner, and waits 6 s more).
class RunnerProcess final : public QObject
{
    Q_OBJECT

public:
    // Of a worker; `runFd` may be -1. Throws RunnerDied when the program cannot be started.
    RunnerProcess(const QString &program, int leaseFd, int runFd, ProcessView view);
    // Of one command that shares our streams (runner/guard.h). The environment is the whole of it. Throws alike.
    RunnerProcess(const QString &program, bool foreground, const QByteArrayList &command,
                  const QByteArrayList &environment, ProcessView view);
    ~RunnerProcess() override;

    // What the destructor does. Whether the runner left by itself: only then is nothing left of its jobs for sure.
    bool end();

    pid_t pid() const { return m_pid; }
    // Then no process of its jobs outlives it, and their pids are not ours.
    bool ownPids() const { return m_ownPids; }

    // It ended by itself without a word to us: it cannot have begun a job.
    bool servedNobody() const { return m_servedNobody; }

    // In order; never blocks: what the socket does not take waits here. If it will never take it the runner is killed.
    void send(std::string message);

Q_SIGNALS:
    // The view ends with the call. The receiver may destroy this object; as it may on died().
    void received(std::string_view message);
    // The last signal, after every message that the runner had sent.
    void died(const QString &reason);

private:
    int connectEnds(const QString &program);
    void start(const RunnerLaunch &launch, int itsEnd);
    void readAll();
    void flush();
    void giveUp();
    void reap();

    pid_t m_pid = 0;
    bool m_ownPids = false;
    bool m_spoke = false;
    bool m_servedNobody = false;
    int m_socket = -1;
    int m_pidFd = -1;
    QSocketNotifier m_readable{QSocketNotifier::Read};
    QSocketNotifier m_writable{QSocketNotifier::Write};
    QSocketNotifier m_dead{QSocketNotifier::Read};
    QTimer m_retry; // while the kernel is out of memory
    std::deque<std::string> m_outgoing;
    std::string m_incoming;
};

} // namespace drover::workers
