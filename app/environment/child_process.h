#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QByteArrayList>
#include <QProcess>

#include <chrono>
#include <csignal>

namespace drover::app {

// The environment of this process with these variables (NAME=VALUE) set.
QByteArrayList environmentWith(const QByteArrayList &variables);

// A background process in a process group of its own. The kernel ends it when this process dies. The destructor kills
// the group.
class ChildProcess
{
public:
    ChildProcess();
    ~ChildProcess();

    // The file to which its output is appended. Call it before start().
    void setLogFile(const QString &path) { m_logFile = path; }
    void setVariable(const char *name, const QByteArray &value);
    // The signal by which the kernel ends the process when this process dies; the default is SIGKILL.
    void setDeathSignal(int signal) { m_deathSignal = signal; }

    // Returns an empty text, or why the process could not be started. The first word is the program, which is searched
    // in PATH unless it has a slash.
    QString start(const QByteArrayList &command);
    QString start(const QString &program, const QStringList &arguments);

    bool running() const { return m_process.state() != QProcess::NotRunning; }
    qint64 pid() const { return m_pid; }
    int exitCode() const; // 128 + n if signal n ended it

    void signalGroup(int signal);

    // Returns when the process has ended.
    async::Task<void> ended() { return async::untilSet(m_ended); }
    // Blocks until it has ended, or for `limit`. For a program without a loop of its own, at its end.
    void waitForEnded(std::chrono::milliseconds limit) { m_process.waitForFinished(static_cast<int>(limit.count())); }

private:
    QString m_logFile;
    QByteArrayList m_variables; // NAME=VALUE, set for the process
    int m_deathSignal = SIGKILL;
    qint64 m_pid = 0;
    async::Event m_ended;
    QProcess m_process;
};

} // namespace drover::app
