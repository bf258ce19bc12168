#pragma once

#include "gui/data/ensemble_snapshot.h"

namespace drover::test {

// The address by which the console opens a cluster in memory. No server listens there. It is no name, because no test
// looks one up: a thread that is in mid look-up when the program ends has memory that LeakSanitizer takes for a leak.
inline const QString Nowhere = QStringLiteral("127.0.0.1:1");

constexpr const char *ThreeVoters =
    "server.1=zk1:1:2:participant\nserver.2=zk2:1:2:participant\nserver.3=zk3:1:2:participant\n";

// A server as it says of itself; one that does not serve says nothing.
inline zk::ServerReport serverThatSays(const QString &host, zk::ServerReport::Role role, quint64 zxid = 0x100000009,
                                       const QByteArray &conf = ThreeVoters)
{
    zk::ServerReport report{.address = {host, 2181}, .role = role};
    if (!report.serves()) {
        report.trouble = QStringLiteral("does not answer within 2 s");
        return report;
    }
    const bool isLeader = role == zk::ServerReport::Role::Leader;
    report.answers = {{"srvr",
                       "Zookeeper version: 3.8.0-x\nLatency min/avg/max: 0/1.5/9\nConnections: 12\nOutstanding: 3\n"
                       "Node count: 1234\nZxid: 0x"
                           + QByteArray::number(zxid, 16) + '\n'},
                      {"mntr", QByteArray("zk_watch_count\t40\n") + (isLeader ? "zk_synced_followers\t2\n" : "")},
                      {"conf", conf},
                      {"ruok", "imok"}};
    report.answeredIn = std::chrono::microseconds(1800);
    return report;
}

inline std::vector<zk::ServerReport> threeServers()
{
    using Role = zk::ServerReport::Role;
    return {serverThatSays(QStringLiteral("zk1"), Role::Follower), serverThatSays(QStringLiteral("zk2"), Role::Leader),
            serverThatSays(QStringLiteral("zk3"), Role::Follower)};
}

} // namespace drover::test
