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
    int release() { return std::exchange(m_fd, -1); } // the caller closes it

    void reset()
    {
        if (m_fd >= 0)
            close(release());
    }

private:
    int m_fd = -1;
};

} // namespace drover::posix
