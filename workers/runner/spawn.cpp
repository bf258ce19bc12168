#include "workers/runner/spawn.h"

#include <fcntl.h>

namespace drover::runner {

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
