#include "gui/lab/lab_thread.h"

namespace drover::gui {

LabThread::LabThread(LabSettings settings)
{
    qRegisterMetaType<LabSnapshot>();
    m_there.moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("lab"));
    m_thread.start();
    const auto make = [&] {
        m_loop = std::make_unique<async::QtLoop>();
        m_stage = std::make_unique<LabStage>(*m_loop, std::move(settings));
    };
    QMetaObject::invokeMethod(&m_there, make, Qt::BlockingQueuedConnection);
}

LabThread::~LabThread()
{
    const auto unmake = [&] {
        m_stage.reset();
        m_loop.reset();
    };
    QMetaObject::invokeMethod(&m_there, unmake, Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

void LabThread::tell(std::function<void(LabStage &)> request)
{
    QMetaObject::invokeMethod(
        &m_there, [this, request = std::move(request)] { request(*m_stage); }, Qt::QueuedConnection);
}

} // namespace drover::gui
