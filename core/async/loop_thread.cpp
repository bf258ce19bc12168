#include "async/loop_thread.h"

namespace drover::async {

LoopThread::LoopThread(const QString &name)
{
    m_there.moveToThread(&m_thread);
    m_thread.setObjectName(name);
    m_thread.start();
    call([this] { m_loop = std::make_unique<QtLoop>(); });
}

LoopThread::~LoopThread()
{
    call([this] { m_loop.reset(); });
    m_thread.quit();
    m_thread.wait();
}

void LoopThread::call(const std::function<void()> &work)
{
    QMetaObject::invokeMethod(&m_there, work, Qt::BlockingQueuedConnection);
}

} // namespace drover::async
