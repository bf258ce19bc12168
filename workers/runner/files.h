#pragma once

#include "workers/runner/fd.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace drover::runner {

// Makes the folders above `path` that are missing.
inline void makeFolders(const std::string &path, mode_t mode)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        ::mkdir(path.substr(0, slash).c_str(), mode);
}

// False: errno says why not all was written.
inline bool writeAll(const Fd &file, std::string_view bytes)
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

// Reading the kernel's small files.

inline Fd opened(const std::string &path)
{
    return Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// Empty when there is none.
inline std::string contents(const Fd &file)
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

// With any white space between them.
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

} // namespace drover::runner
