#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/statvfs.h>

namespace drover::posix {

// The size of a file system, in bytes.
struct Room {
    std::uint64_t free = 0; // for a process without privileges
    std::uint64_t all = 0;
};

// Nothing: it cannot be determined. Blocks while a file server does not answer.
inline std::optional<Room> roomAt(const std::string &path)
{
    struct statvfs status {
    };
    if (::statvfs(path.c_str(), &status) != 0)
        return std::nullopt;
    return Room{std::uint64_t(status.f_bavail) * status.f_frsize, std::uint64_t(status.f_blocks) * status.f_frsize};
}

// Whether nothing more can be written, or next to nothing: a server needs more for the next part of its log.
inline bool isOutOfSpace(const std::string &path)
{
    constexpr std::uint64_t least = 1 << 20;
    const std::optional<Room> room = roomAt(path);
    return room && room->free < least;
}

} // namespace drover::posix
