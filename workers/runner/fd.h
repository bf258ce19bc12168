#pragma once

#include <utility>

#include <unistd.h>

namespace drover::runner {

// Owns a file descriptor. Every one in the runner is close-on-exec: a job inherits its three streams and nothing else.
class Fd
{
public:
    Fd() = default;
    explicit Fd(int fd) : m_fd(fd) { }
    Fd(Fd &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) { }
    Fd &operator=(Fd &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~Fd() { reset(); }

    int get() const { return m_fd; }
    explicit operator bool() const { return m_fd >= 0; }
    void reset()
    {
        if (m_fd >= 0)
            ::close(std::exchange(m_fd, -1));
    }

private:
    int m_fd = -1;
};

} // namespace drover::runner
