#include "workers/runner/spawn.h"

#include <fcntl.h>

namespace drover::runner {

Spawner::Spawner(rlimit jobFiles, const workers::protocol::LeaseWord &lease)
    : m_jobFiles(jobFiles), m_lease(lease), m_null(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
}

std::shared_ptr<CommandStart> Spawner::start(const workers::protocol::Command &command, const Ends &ends,
                                             std::string cgroup)
{
    const CommandStart::Ends inherited{
        .descriptors = {.streams = {m_null.get(), ends.output, ends.error}, .status = -1, .go = ends.go},
        .copies = ends.copies};
    auto start = std::make_shared<CommandStart>(command, inherited, m_jobFiles, std::move(cgroup), m_lease);
    return m_threads.launch(start) ? start : nullptr;
}

} // namespace drover::runner
