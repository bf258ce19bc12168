#include "async/qt_loop.h"

#include "async/threads.h"

#include <mutex>

namespace drover::async {

namespace {

constexpr std::chrono::seconds LastWords{5}; // for what is under way when a loop goes: sessions say good-bye

} // namespace

struct QtLoop::Mailbox {
    std::mutex mutex;
    QtLoop *loop;
};

QtLoop::QtLoop() : m_timers(std::make_shared<BootTimers>()), m_mailbox(std::make_shared<Mailbox>())
{
    m_mailbox->loop = this;
}

QtLoop::~QtLoop()
{
    {
        const std::lock_guard lock(m_mailbox->mutex);
        m_mailbox->loop = nullptr;
    }
    Threads::all().waitForDone(LastWords);
}

Timer QtLoop::after(Duration delay, std::function<void()> callback)
{
    return m_timers->after(delay, std::move(callback));
}

void QtLoop::post(std::function<void()> callback)
{
    QMetaObject::invokeMethod(this, std::move(callback), Qt::QueuedConnection);
}

void QtLoop::offload(std::function<void()> work, std::function<void()> done)
{
    Threads::all().run([mailbox = m_mailbox, work = std::move(work), done = std::move(done)]() mutable {
        work();
        const std::lock_guard lock(mailbox->mutex);
        if (mailbox->loop)
            mailbox->loop->post(std::move(done));
    });
}

} // namespace drover::async
