#pragma once

#include "posix/file_descriptor.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace drover::posix {

// Makes the folders above `path` that are missing.
inline void makeFolders(const std::string &path, mode_t mode)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        ::mkdir(path.substr(0, slash).c_str(), mode);
}

// Returns false if a write failed; errno says why, and a part may have been written.
inline bool writeAll(const FileDescriptor &file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written > 0)
            bytes.remove_prefix(std::size_t(written));
        else if (errno != EINTR)
            return false;
    }
    return true;
}

// Opens a file for reading, such as the kernel's small files. The result is empty if that fails.

inline FileDescriptor opened(const std::string &path)
{
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// The bytes from the current position on; empty without a file.
inline std::string contents(const FileDescriptor &file)
{
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; file && (got = ::read(file.get(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, std::size_t(got));
    return text;
}

inline std::string contents(const std::string &path)
{
    return contents(opened(path));
}

// The numbers at the beginning of `list`, separated by white space.
inline std::vector<pid_t> numbersIn(const std::string &list)
{
    std::vector<pid_t> numbers;
    const char *next = list.c_str();
    for (char *end = nullptr;; next = end) {
        const long number = std::strtol(next, &end, 10);
        if (end == next)
            return numbers;
        numbers.push_back(pid_t(number));
    }
}

} // namespace drover::posix
