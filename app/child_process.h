#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QByteArrayList>
#include <QProcess>

#include <csignal>

namespace drover::app {

// The environment of this process with these variables (NAME=VALUE) in the place of its own of their names, or beside them.
QByteArrayList environmentWith(const QByteArrayList &variables);

// A process in the background and in a group of its own, which the kernel ends when this process dies. Destroying it
// kills the group.
class ChildProcess
{
public:
    ChildProcess();
    ~ChildProcess();

    // What its output is appended to; before start().
    void setLogFile(const QString &path) { m_logFile = path; }
    void setVariable(const char *name, const QByteArray &value);
    // The signal by which the kernel ends the process itself when we die; SIGKILL unless told otherwise.
    void setDeathSignal(int signal) { m_deathSignal = signal; }

    // Empty, or why it could not be started. The first word is the program, looked for in PATH unless it has a slash.
    QString start(const QByteArrayList &command);
    QString start(const QString &program, const QStringList &arguments);

    bool running() const { return m_process.state() != QProcess::NotRunning; }
    qint64 pid() const { return m_pid; }
    int exitCode() const; // 128 + the signal

    void signalGroup(int signal);

    // Returns when it has ended.
    async::Task<void> ended();

private:
    QString m_logFile;
    QByteArrayList m_variables; // NAME=VALUE, in the place of our own of these names or beside them
    int m_deathSignal = SIGKILL;
    qint64 m_pid = 0;
    async::Event m_ended;
    QProcess m_process;
};

} // namespace drover::app
