#pragma once

#include "zk/ensemble/server_report.h"

#include <algorithm>

namespace drover::zk {

// The servers of an ensemble, as their configuration lists them.
struct Membership {
    QByteArrayList lines{}; // "server.1=zk1:2888:3888:participant", sorted
    int voters = 0;

    // Nothing if no server is in the text: of a standalone server, and of what is no configuration.
    static std::optional<Membership> in(const QByteArray &text);
    friend bool operator==(const Membership &, const Membership &) = default;
};

// How many servers of an ensemble vote, and how many of them serve now.
struct Majority {
    int voters = 0;
    int serving = 0;
    bool isServed = false; // a majority serves

    int needed() const { return voters / 2 + 1; }
    int mayFail() const { return std::max(0, serving - needed()); }

    friend bool operator==(const Majority &, const Majority &) = default;
};

// The membership as any of the servers says, or else `config`, which is the text of /zookeeper/config.
std::optional<Membership> membershipOf(const std::vector<ServerReport> &reports, const QByteArray &config);

// A server of the connect string serves if it says so. Of the others the leader says how many follow it. Without the
// leader's answer they count as failed. If one of them can be the leader, a follower proves that a majority serves.
Majority majorityOf(const std::vector<ServerReport> &reports, const std::optional<Membership> &membership);

} // namespace drover::zk
