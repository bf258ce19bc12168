#pragma once

#include "posix/held_process.h"
#include "workers/process/runner_launch.h"

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
// and exits. The destructor waits for that, some milliseconds. After 6 s it kills the runner, and waits 6 s more.
class RunnerChild final : public QObject
{
    Q_OBJECT

public:
    // Starts a worker's runner with the arguments of runner_protocol.h; `stateFd` may be -1. What it writes to standard
    // error goes to ours through a pipe, since ours may be another file by then. Throws RunnerDied if the program
    // cannot be started, or no file descriptor is left to hold its process by.
    RunnerChild(const QString &program, const QByteArrayList &arguments, int leaseFd, int stateFd, ProcessView view);
    // Starts the guard of one command that shares our streams (runner/guard.h), with exactly this environment. Throws
    // RunnerDied.
    RunnerChild(const QString &program, bool foreground, const QByteArrayList &command,
                const QByteArrayList &environment, ProcessView view);
    ~RunnerChild() override;

    // Does the destructor's work. True: the runner ended by itself, so certainly no process of its jobs is left.
    bool end();

    pid_t pid() const { return m_pid; }
    // True: no process of its jobs outlives it, and their pids belong to its own namespace.
    bool ownPids() const { return m_ownPids; }

    // True: it ended by itself without a message, so it has started no job.
    bool startedNoJob() const { return m_startedNoJob; }

    // Sends in order and never blocks: messages wait here until the socket takes them. If it cannot, the runner is
    // killed.
    void send(std::string message);

Q_SIGNALS:
    // The view is valid during the call only. The receiver may destroy this object, here and in died().
    void received(std::string_view message);
    // The last signal, after every message that the runner had sent.
    void died(const QString &reason);

private:
    posix::FileDescriptor connectEnds(const QString &program);
    void start(const RunnerLaunch &launch);
    void readAll();
    void passWordsOn();
    void flush();
    void giveUp();
    void reap();

    pid_t m_pid = 0;
    bool m_ownPids = false;
    bool m_spoke = false;
    bool m_startedNoJob = false;
    posix::FileDescriptor m_socket;
    posix::FileDescriptor m_words; // its standard error; none if no pipe could be made
    posix::HeldProcess m_process;
    QSocketNotifier m_readable{QSocketNotifier::Read};
    QSocketNotifier m_writable{QSocketNotifier::Write};
    QSocketNotifier m_dead{QSocketNotifier::Read};
    QSocketNotifier m_speaking{QSocketNotifier::Read};
    QTimer m_retry; // while the kernel is out of memory
    std::deque<std::string> m_outgoing;
    std::string m_incoming;
};

} // namespace drover::workers
