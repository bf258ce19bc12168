#pragma once

#include "async/loop.h"
#include "async/task.h"
#include "zk/client/connect_string.h"

#include <chrono>
#include <map>
#include <optional>

namespace drover::zk {

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

    ServerAddress address;
    Role role = Role::Silent;
    QString trouble{}; // why its role is one of the last four, in words
    std::map<QByteArray, QByteArray> answers{}; // by the word; only of words that it may be asked
    QByteArrayList forbidden{}; // the words that its whitelist lacks
    std::optional<std::chrono::microseconds> answeredIn{}; // from the question srvr to its answer

    // A number of an answer; nothing if it is not there.
    std::optional<qint64> number(const QByteArray &word, const QByteArray &name) const;
    QString version() const; // "3.8.0"; empty: unknown
    std::optional<double> latency() const; // milliseconds a request, on average
    std::optional<quint64> zxid() const; // the last transaction that it knows
    // How many transactions it is behind `newest`; nothing if it does not say, or is of another leader's epoch.
    std::optional<qint64> lagBehind(quint64 newest) const;
    bool serves() const { return role <= Role::Standalone; }

    friend bool operator==(const ServerReport &, const ServerReport &) = default;
};

QString roleName(ServerReport::Role role);

// The last transaction that any of the servers knows: they are asked at about the same time.
quint64 newestZxid(const std::vector<ServerReport> &reports);

// Asks each server these four-letter words, of which the first is srvr, all at once and in at most two seconds. It
// needs no session.
async::Task<std::vector<ServerReport>> askServers(async::Loop &loop, ServerList servers, QByteArrayList words);

} // namespace drover::zk
