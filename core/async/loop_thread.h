#pragma once

#include "async/qt_loop.h"

#include <QThread>

namespace drover::async {

// A thread with a Qt loop. Make and destroy it on another thread. What uses the loop is made and destroyed by call().
class LoopThread
{
public:
    explicit LoopThread(const QString &name);
    LoopThread(const LoopThread &) = delete;
    LoopThread &operator=(const LoopThread &) = delete;
    ~LoopThread();

    QtLoop &loop() { return *m_loop; }
    // Runs `work` on that thread, and returns when it has. It must not throw.
    void call(const std::function<void()> &work);

private:
    QObject m_there; // lives in the thread; calls are invoked on it
    QThread m_thread;
    std::unique_ptr<QtLoop> m_loop;
};

} // namespace drover::async
