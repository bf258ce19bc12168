#pragma once

#include "workers/runner/fd.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/types.h>

namespace drover::runner {

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
