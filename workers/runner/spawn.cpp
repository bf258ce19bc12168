#include "workers/runner/spawn.h"

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include <fcntl.h>

namespace drover::runner {

struct StartThreads::Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<std::shared_ptr<CommandStart>> starts;
    std::size_t idle = 0; // threads
};

StartThreads::StartThreads() : m_queue(std::make_shared<Queue>()) { }

bool StartThreads::launch(std::shared_ptr<CommandStart> start)
{
    std::unique_lock lock(m_queue->mutex);
    if (m_queue->idle <= m_queue->starts.size()) {
        try {
            std::thread(serve, m_queue).detach();
        } catch (const std::system_error &error) {
            errno = error.code().value();
            return false;
        }
        ++m_queue->idle;
    }
    m_queue->starts.push_back(std::move(start));
    lock.unlock(); // else the thread wakes only to wait for the mutex
    m_queue->filled.notify_one();
    return true;
}

void StartThreads::serve(const std::shared_ptr<Queue> &queue)
{
    std::unique_lock lock(queue->mutex);
    for (;;) {
        queue->filled.wait(lock, [&] { return !queue->starts.empty(); });
        std::shared_ptr<CommandStart> start = std::move(queue->starts.front());
        queue->starts.pop_front();
        --queue->idle;
        lock.unlock();
        start->launch();
        start.reset();
        lock.lock();
        ++queue->idle;
    }
}

Spawner::Spawner(UsualLimits usual, const workers::protocol::LeaseWord &lease)
    : m_usual(usual), m_lease(lease), m_null(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
}

std::shared_ptr<CommandStart> Spawner::start(const workers::protocol::Command &command, CommandStart::Ends ends,
                                             std::string cgroup)
{
    ends.descriptors.streams[0] = m_null.get();
    auto start = std::make_shared<CommandStart>(command, ends, m_usual, std::move(cgroup), m_lease);
    return m_threads.launch(start) ? start : nullptr;
}

} // namespace drover::runner
