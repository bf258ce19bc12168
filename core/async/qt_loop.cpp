#include "async/qt_loop.h"

#include <QThreadPool>
#include <QTimer>

#include <mutex>

namespace drover::async {

namespace {

constexpr int MostThreads = 4096;
constexpr int LastWords = 5000; // ms for what is under way when a loop goes: sessions say good-bye

// The threads of all loops. The work blocks rather than computes, and may hang for ever, like a file whose server is dead:
// it keeps its own thread then, and nothing else waiting. Never destroyed, for that would wait for it.
QThreadPool &threads()
{
    static QThreadPool *const pool = [] {
        auto *const made = new QThreadPool; // NOLINT(cppcoreguidelines-owning-memory)
        made->setMaxThreadCount(MostThreads);
        return made;
    }();
    return *pool;
}

class QtTimerEntry final : public Timer::Entry
{
public:
    QtTimerEntry(Duration delay, std::function<void()> callback) : m_callback(std::move(callback))
    {
        m_timer.setSingleShot(true);
        m_timer.setTimerType(Qt::PreciseTimer);
        // The callback may destroy this entry: it is called from a copy that outlives it.
        m_timer.callOnTimeout(&m_timer, [this] {
            const std::function<void()> call = std::move(m_callback);
            call();
        });
        const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(delay);
        m_timer.start(std::max(milliseconds, std::chrono::milliseconds(0)));
    }

private:
    std::function<void()> m_callback;
    QTimer m_timer;
};

} // namespace

struct QtLoop::Mailbox {
    std::mutex mutex;
    QtLoop *loop;
};

QtLoop::QtLoop() : m_mailbox(std::make_shared<Mailbox>())
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
    return Timer(std::make_unique<QtTimerEntry>(delay, std::move(callback)));
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
