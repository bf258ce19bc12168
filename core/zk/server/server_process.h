#pragma once

#include "posix/held_process.h"

#include <QString>
#include <QStringList>

#include <memory>

class QProcess;

namespace drover::zk {

// Whether a local server outlives the program that started it.
enum class Lifetime {
    WithStarter, // the kernel kills it when the starting thread ends
    Detached, // outlives the program; found again by its pid file
};

// One process in a terminal session of its own, so Ctrl-C does not reach it. It is held by a pidfd, so a signal can
// never hit another process that got its pid. Use it from the thread that makes it.
class ServerProcess
{
public:
    ServerProcess();
    ServerProcess(const ServerProcess &) = delete;
    ServerProcess &operator=(const ServerProcess &) = delete;
    // Kills and reaps a process started WithStarter; leaves a detached one alone.
    ~ServerProcess();

    // Appends output and errors to `logFile`. Returns an empty string, or why the process could not be started.
    QString start(const QString &program, const QStringList &arguments, const QString &logFile, Lifetime lifetime);

    // Holds a process that another program started, if it runs and `argument` is one of its arguments.
    bool adopt(qint64 pid, const QString &argument);

    bool running() const;
    // Whether every thread has stopped: SIGSTOP takes effect later, and on each thread separately.
    bool stopped() const;
    qint64 pid() const { return m_pid; } // 0 before the first start
    void signal(int number);

private:
    void release();

    std::unique_ptr<QProcess> m_child; // null if detached or adopted
    qint64 m_pid = 0;
    posix::HeldProcess m_process;
};

} // namespace drover::zk
