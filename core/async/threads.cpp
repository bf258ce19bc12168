#include "async/threads.h"

#include <QCoreApplication>
#include <QTimer>

#include <exception>
#include <thread>
#include <utility>

namespace drover::async {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t MostThreads = 4096;
constexpr auto LongestIdle = 30s;
constexpr auto RetryPause = 100ms; // while the system has no thread for us

} // namespace

Threads &Threads::all()
{
    static auto *const threads = new Threads; // NOLINT(cppcoreguidelines-owning-memory)
    return *threads;
}

void Threads::run(std::function<void()> work)
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back(std::move(work));
        ++m_unfinished;
        provide();
    }
    m_added.notify_one(); // a thread that begins looks by itself
}

// A thread for each work that waits. The mutex is held.
void Threads::provide()
{
    try {
        for (; m_idle < m_waiting.size() && m_count < MostThreads; ++m_idle, ++m_count)
            std::thread(&Threads::serve, this).detach();
    } catch (const std::exception &) { // std::system_error, and std::bad_alloc where memory is short
        tryLater();
    }
}

// The threads that run may hang for ever, so waiting for one of them is not enough.
void Threads::tryLater()
{
    QCoreApplication *const application = QCoreApplication::instance();
    if (!application || std::exchange(m_triesLater, true))
        return;
    QMetaObject::invokeMethod(
        application,
        [this, application] {
            QTimer::singleShot(RetryPause, application, [this] {
                const std::lock_guard lock(m_mutex);
                m_triesLater = false;
                provide();
            });
        },
        Qt::QueuedConnection);
}

// The life of a thread, which is idle when it begins.
void Threads::serve()
{
    std::unique_lock lock(m_mutex);
    while (m_added.wait_for(lock, LongestIdle, [this] { return !m_waiting.empty(); })) {
        --m_idle;
        std::function<void()> work = std::move(m_waiting.front());
        m_waiting.pop_front();
        lock.unlock();
        work();
        work = nullptr;
        lock.lock();
        ++m_idle;
        if (--m_unfinished == 0)
            m_done.notify_all();
    }
    --m_idle;
    --m_count;
}

void Threads::waitForDone(std::chrono::milliseconds patience)
{
    std::unique_lock lock(m_mutex);
    m_done.wait_for(lock, patience, [this] { return m_unfinished == 0; });
}

} // namespace drover::async
