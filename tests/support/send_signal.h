#pragma once

#include <QProcess>

#include <csignal>

namespace drover::test {

// Sends a signal to a process that the test has started; false if there is none. A QProcess that has ended has the id
// 0, and kill() would take that for the whole process group: for ctest and all tests that run at the same time.
inline bool sendSignal(qint64 pid, int signal)
{
    return pid > 0 && ::kill(static_cast<pid_t>(pid), signal) == 0;
}
inline bool sendSignal(const QProcess &process, int signal)
{
    return sendSignal(process.processId(), signal);
}

} // namespace drover::test
