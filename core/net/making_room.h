#pragma once

#include <QHostAddress>

#include <optional>
#include <vector>

namespace drover::net {

// What a server knows of a connection when it has to choose one to close.
struct Occupant {
    enum class Stage {
        Silent, // has sent nothing, or half of a greeting
        Greeting, // in the handshake
        Idle, // has proven that it has the key, and has no request in work
        AtWork,
    };
    QHostAddress network; // networkOf() its address
    Stage stage = Stage::Silent;
};

// The addresses that one client can have at will: the address itself, or 64 bits of an IPv6 address.
QHostAddress networkOf(const QHostAddress &address);

// Which connection is closed to make room for a new one, by its index; nothing if all are at work. `occupants` begins
// with the one that has waited longest.
//
//     1  One that has not proven its key; if there is none, an idle one.
//     2  Among them, one of the network that has most. So a client with many connections pushes out its own.
//     3  Among its connections, the first that is silent, as a client greets at once; or else the first.
std::optional<std::size_t> leastNeeded(const std::vector<Occupant> &occupants);

} // namespace drover::net
