#include "workers/runner/lease_guard.h"

#include <chrono>
#include <thread>

namespace drover::runner {

using namespace posix;

LeaseGuard::LeaseGuard(const workers::protocol::LeaseWord &lease, Children &children)
    : m_lease(lease), m_children(children)
{
    std::thread([this] { watch(); }).detach();
}

void LeaseGuard::watch()
{
    constexpr std::chrono::milliseconds untilNextKill{20};
    for (;;) {
        const std::int64_t until = m_lease.load();
        if (bootNs() < until) {
            const timespec instant = toTimespec(until);
            ::clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &instant, nullptr);
            continue; // it may have been renewed meanwhile
        }
        m_children.killAll();
        m_children.waitForJobs(untilNextKill);
    }
}

} // namespace drover::runner
