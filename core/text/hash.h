#pragma once

#include <cstdint>
#include <string_view>

namespace drover::text {

// Hashes that are equal in every process, build and version: FNV-1a with 64 bits. No Qt, because drover-runner uses it.
constexpr std::uint64_t EmptyHash = 0xcbf29ce484222325;

// Continues `hash` with `bytes`.
constexpr std::uint64_t hashOf(std::string_view bytes, std::uint64_t hash = EmptyHash)
{
    for (const char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

// Spreads a hash over all 64 bits (the end of splitmix64), so that hashes of similar names can be compared by size.
constexpr std::uint64_t mixed(std::uint64_t hash)
{
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31);
}

} // namespace drover::text
