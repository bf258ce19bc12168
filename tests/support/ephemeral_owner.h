#pragma once

#include <QtGlobal>

#include <limits>

namespace drover::test {

// How the server tells a container and a TTL node from a session in a node's ephemeralOwner: EphemeralType.java.
// Clients read 0 for both.
inline constexpr qint64 ContainerOwner = std::numeric_limits<qint64>::min();
inline constexpr auto TtlMask = static_cast<qint64>(0xff00000000000000);

inline constexpr qint64 ttlOwner(qint64 ms)
{
    return TtlMask | ms;
}
inline constexpr bool isTtlOwner(qint64 owner)
{
    return (owner & TtlMask) == TtlMask;
}
inline constexpr qint64 ttlOf(qint64 owner) // ms
{
    return owner & 0xffffffffff;
}
inline constexpr bool isSessionOwner(qint64 owner)
{
    return owner != 0 && owner != ContainerOwner && !isTtlOwner(owner);
}

} // namespace drover::test
