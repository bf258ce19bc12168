#pragma once

#include "async/loop.h"
#include "async/task.h"
#include "zk/client/connect_string.h"

#include <map>
#include <optional>

namespace drover::app {

// What one ZooKeeper server says of itself, or why it says nothing. It may be any program: no text of it is trusted,
// and each is short.
struct ServerReport {
    enum class Role {
        Leader,
        Follower,
        Observer, // replicates, and does not vote
        Standalone,
        NotServing, // without a majority
        Unknown, // it may not be asked
        Stranger, // another program
        Silent, // no answer
    };

    zk::ServerAddress address;
    Role role = Role::Silent;
    QString trouble{}; // why its role is one of the last four, in words
    std::map<QByteArray, QByteArray> answers{}; // by the word; only of words that it may be asked
    QByteArrayList forbidden{}; // the words that its whitelist lacks

    // A number of an answer; nothing if it is not there.
    std::optional<qint64> number(const QByteArray &word, const QByteArray &name) const;
    QString version() const; // "3.8.0"; empty: unknown
    std::optional<double> latency() const; // milliseconds a request, on average
    std::optional<quint64> zxid() const; // the last transaction that it knows
    bool serves() const { return role <= Role::Standalone; }
};

QString roleName(ServerReport::Role role);

// Asks each server these four-letter words, of which the first is srvr, all at once and in at most two seconds. It needs
// no session.
async::Task<std::vector<ServerReport>> askServers(async::Loop &loop, zk::ServerList servers, QByteArrayList words);

} // namespace drover::app
