#include "workers/runner/spawn.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace drover::runner {

namespace {

constexpr std::size_t stackBytes = 32 * 1024;

// The life of such a thread.
[[noreturn]] void lend(const std::shared_ptr<LentThread> &thread)
{
    alignas(16) char stack[stackBytes];
    thread->stackEnd = stack + sizeof stack;
    thread->pointer = __builtin_thread_pointer();
    thread->isReady.release();
    for (;;)
        ::pause();
}

} // namespace

LentThread *StartThreads::idle()
{
    const auto isIdle = [](const auto &thread) { return thread->borrower == 0; };
    const auto found = std::find_if(m_threads.begin(), m_threads.end(), isIdle);
    if (found != m_threads.end())
        return found->get();
    auto thread = std::make_shared<LentThread>();
    try {
        std::thread(lend, thread).detach();
    } catch (const std::system_error &error) {
        errno = error.code().value();
        return nullptr;
    }
    thread->isReady.acquire();
    return m_threads.emplace_back(std::move(thread)).get();
}

Spawner::Spawner(UsualLimits usual, const workers::protocol::LeaseWord &lease)
    : m_usual(usual), m_lease(lease), m_null(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
}

std::unique_ptr<CommandStart> Spawner::prepare(const workers::protocol::Command &command, CommandStart::Ends ends,
                                               std::string cgroup)
{
    ends.descriptors.streams[0] = m_null.get();
    LentThread *const thread = m_threads.idle();
    if (!thread)
        return nullptr;
    return std::make_unique<CommandStart>(command, ends, m_usual, std::move(cgroup), m_lease, *thread);
}

} // namespace drover::runner
