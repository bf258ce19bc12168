#pragma once

#include "zk/types.h"

#include <chrono>

namespace drover::zk {

// What ends a znode that no client deletes. The servers keep it in Stat::ephemeralOwner, whose values are those of
// EphemeralType.java.
enum class NodeLife {
    Persistent, // nothing
    Ephemeral, // the end of the session that owns it
    Container, // the servers delete it some time after its last child has gone
    TimeToLive, // the servers delete it once it has no children and its time is over
};

constexpr NodeLife lifeOf(const Stat &stat)
{
    constexpr quint64 ContainerOwner = 0x8000000000000000;
    constexpr int KindShift = 40; // the time to live is below
    constexpr quint64 TimeToLiveKind = 0xff0000; // a session of server 255 has a part of the clock in the zeros
    const auto owner = static_cast<quint64>(stat.ephemeralOwner);
    if (owner == 0)
        return NodeLife::Persistent;
    if (owner == ContainerOwner)
        return NodeLife::Container;
    return owner >> KindShift == TimeToLiveKind ? NodeLife::TimeToLive : NodeLife::Ephemeral;
}

// The session that owns the znode; 0: none does, also if `ephemeralOwner` has a number.
constexpr SessionId sessionOf(const Stat &stat)
{
    return lifeOf(stat) == NodeLife::Ephemeral ? stat.ephemeralOwner : 0;
}

// Of NodeLife::TimeToLive: how long the znode stays after its last change, by the server's clock.
constexpr std::chrono::milliseconds timeToLiveOf(const Stat &stat)
{
    constexpr SessionId Time = 0xff'ffff'ffff;
    return std::chrono::milliseconds(stat.ephemeralOwner & Time);
}

} // namespace drover::zk
