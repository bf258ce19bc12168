#pragma once

#include <QString>
#include <QStringList>

#include <memory>

class QProcess;

namespace drover::zk {

// How long a local server lives.
enum class Lifetime {
    WithStarter, // killed by the kernel when the thread that started it ends, however it ends
    Detached, // outlives the program; found again by its pid file
};

// One process in a session of its own (a Ctrl-C at the terminal is not its business), held by a pidfd: a signal can
// never hit another process that got the same pid. Used from the thread that makes it.
class ServerProcess
{
public:
    ServerProcess();
    ServerProcess(const ServerProcess &) = delete;
    ServerProcess &operator=(const ServerProcess &) = delete;
    // Kills and reaps a process started WithStarter; leaves a detached one alone.
    ~ServerProcess();

    // Output and errors are appended to `logFile`. Returns an empty string, or why it could not be started.
    QString start(const QString &program, const QStringList &arguments, const QString &logFile, Lifetime lifetime);

    // Takes hold of a process that another program started, if it runs and `argument` is one of its arguments.
    bool adopt(qint64 pid, const QString &argument);

    bool running() const;
    // Whether every thread has stopped: SIGSTOP works a moment after it was sent, on each thread for itself.
    bool stopped() const;
    qint64 pid() const { return m_pid; } // 0 before the first start
    void signal(int number);

private:
    void release();

    std::unique_ptr<QProcess> m_child; // null if detached or adopted
    qint64 m_pid = 0;
    int m_pidFd = -1;
};

} // namespace drover::zk
