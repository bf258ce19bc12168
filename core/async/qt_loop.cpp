#include "async/qt_loop.h"

#include <QThreadPool>

#include <mutex>

namespace drover::async {

namespace {

constexpr int MostThreads = 4096;
constexpr int LastWords = 5000; // ms for what is under way when a loop goes: sessions say good-bye

// The threads of all loops. The work blocks rather than computes, and may hang for ever, like a file whose server is
// dead: it keeps its own thread then, and nothing else waiting. Never destroyed, for that would wait for it.
QThreadPool &threads()
{
    static QThreadPool *const pool = [] {
        auto *const made = new QThreadPool; // NOLINT(cppcoreguidelines-owning-memory)
        made->setMaxThreadCount(MostThreads);
        return made;
    }();
    return *pool;
}

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
    threads().waitForDone(LastWords);
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
    threads().start([mailbox = m_mailbox, work = std::move(work), done = std::move(done)]() mutable {
        work();
        const std::lock_guard lock(mailbox->mutex);
        if (mailbox->loop)
            mailbox->loop->post(std::move(done));
    });
}

} // namespace drover::async
