#pragma once

#include <utility>

#include <unistd.h>

namespace drover::posix {

// Owns a file descriptor; -1 means that there is none. Movable.
class FileDescriptor
{
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : m_fd(fd) { }
    FileDescriptor(FileDescriptor &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) { }
    FileDescriptor &operator=(FileDescriptor &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~FileDescriptor() { reset(); }

    explicit operator bool() const { return m_fd >= 0; }
    int get() const { return m_fd; }

    void reset()
    {
        if (m_fd >= 0)
            close(std::exchange(m_fd, -1));
    }

private:
    int m_fd = -1;
};

} // namespace drover::posix
