#include "async/owned_process.h"

#include "posix/process.h"

#include <unistd.h>

namespace drover::async {

OwnedProcess::OwnedProcess(Group group)
{
    // Queued: who waits may destroy this, which must not be within a signal of QProcess.
    connect(
        this, &QProcess::finished, this, [this] { m_ended.set(); }, Qt::QueuedConnection);
    connect(
        this, &QProcess::errorOccurred, this,
        [this](ProcessError error) {
            if (error == FailedToStart)
                m_ended.set();
        },
        Qt::QueuedConnection);
    setChildProcessModifier([parent = ::getpid(), group] { // between fork and exec: system calls alone
        if (group == Group::Own)
            ::setpgid(0, 0);
        posix::dieWith(parent);
    });
}

OwnedProcess::~OwnedProcess()
{
    disconnect();
    kill();
    waitForFinished();
}

} // namespace drover::async
