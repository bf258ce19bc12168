#pragma once

#include "zk/ensemble/server_report.h"

#include <algorithm>

namespace drover::zk {

// The servers of an ensemble, as their configuration lists them.
struct Membership {
    QByteArrayList lines{}; // "server.1=zk1:2888:3888:participant", sorted
    int voters = 0;

    // Reads a configuration. Nothing if it lists no voter: that of a standalone server, or another text.
    // At most 100 servers are read.
    static std::optional<Membership> in(const QByteArray &text);
    friend bool operator==(const Membership &, const Membership &) = default;
};

// How many servers of an ensemble vote, and how many of them serve now.
struct Majority {
    int voters = 0;
    int serving = 0;
    bool isServed = false; // a majority may serve; see majorityOf()

    int needed() const { return voters / 2 + 1; }
    int mayFail() const { return std::max(0, serving - needed()); }

    friend bool operator==(const Majority &, const Majority &) = default;
};

// The membership from the first server that serves and answered "conf", or else from `config`, the text of
// /zookeeper/config. Nothing if neither lists a voter.
std::optional<Membership> membershipOf(const std::vector<ServerReport> &reports, const QByteArray &config);

// Counts the servers that serve. `reports` are of the servers in the connect string: each says itself whether it
// serves. An ensemble may have other servers: the leader's report says how many of them follow it. Without that report
// they count as failed in `serving`. A follower needs a leader and a majority. So `isServed` is true all the same if a
// follower reports, and the other servers would make up the majority.
Majority majorityOf(const std::vector<ServerReport> &reports, const std::optional<Membership> &membership);

} // namespace drover::zk
