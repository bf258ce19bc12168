#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/statvfs.h>

namespace drover::posix {

// The space of a file system, in bytes.
struct DiskSpace {
    std::int64_t free = 0; // for a process without privileges
    std::int64_t size = 0;
    bool isReadOnly = false; // the file system is mounted so, perhaps by the kernel after an error
};

// The space of the file system that holds `path`. Returns nothing if the kernel does not say. Blocks while a file
// server does not answer, for ever if it hangs.
inline std::optional<DiskSpace> diskSpaceAt(const std::string &path)
{
    struct statvfs status {
    };
    if (::statvfs(path.c_str(), &status) != 0)
        return std::nullopt;
    const auto block = static_cast<std::int64_t>(status.f_frsize);
    return DiskSpace{.free = static_cast<std::int64_t>(status.f_bavail) * block,
                     .size = static_cast<std::int64_t>(status.f_blocks) * block,
                     .isReadOnly = (status.f_flag & ST_RDONLY) != 0};
}

// Whether less than 1 MiB is free. A ZooKeeper server needs more than that for the next part of its log.
inline bool isOutOfSpace(const std::string &path)
{
    constexpr std::int64_t least = 1 << 20;
    const std::optional<DiskSpace> space = diskSpaceAt(path);
    return space && space->free < least;
}

} // namespace drover::posix
