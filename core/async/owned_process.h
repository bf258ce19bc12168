#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QProcess>

namespace drover::async {

// A child process that never outlives its owner. The destructor kills and reaps it. The kernel kills it when the thread
// that has started it ends. Lives on one thread, which needs a Qt event loop.
class OwnedProcess final : public QProcess
{
public:
    // The process group of the child. A Ctrl-C in the terminal does not reach one of its own.
    enum class Group { Ours, Own };

    explicit OwnedProcess(Group group = Group::Ours);
    ~OwnedProcess() override;

    // Returns when the process has ended, or could not be started: from the loop, so its waiter may destroy this.
    Task<void> ended() { return untilSet(m_ended); }

private:
    Event m_ended;
};

} // namespace drover::async
