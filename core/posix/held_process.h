#pragma once

#include "posix/file_descriptor.h"

#include <chrono>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>

namespace drover::posix {

// Holds a process by a pidfd, so a signal never hits another process that got its number. Empty if there was no such
// process, or no file descriptor was left. Movable. It calls the kernel by number, because glibc 2.36 declares the
// functions with C++ linkage.
class HeldProcess
{
public:
    HeldProcess() = default;
    explicit HeldProcess(pid_t pid) : m_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) { }

    explicit operator bool() const { return bool(m_fd); }
    int get() const { return m_fd.get(); } // readable once the process has ended

    // Whether the process has ended, reaped or not; an empty one has. Waits for that, for `limit` at most.
    bool hasEnded(std::chrono::milliseconds limit = {}) const
    {
        pollfd end{.fd = m_fd.get(), .events = POLLIN, .revents = 0};
        return !m_fd || ::poll(&end, 1, static_cast<int>(limit.count())) == 1;
    }

    // False if the signal cannot be sent; errno says why.
    bool signal(int number) const { return ::syscall(SYS_pidfd_send_signal, m_fd.get(), number, nullptr, 0) == 0; }

    void reset() { m_fd.reset(); }

private:
    FileDescriptor m_fd;
};

} // namespace drover::posix
