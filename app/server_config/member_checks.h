#pragma once

#include "app/doctor/finding.h"
#include "app/server_config/server_config.h"

namespace drover::app {

// A line server.N.
struct Member {
    int id = 0;
    QString host{};
    QString ports{}; // "2888:3888"
    bool isObserver = false;

    // Whether it uses this port of the address for other servers. All addresses of a machine are meant by an empty one,
    // 0.0.0.0 and [::].
    bool needsPort(const QString &port, const QString &address) const;
    // As a server writes it when it is asked for its members.
    QString line() const;
};

struct Members {
    QList<Member> all{}; // of lines that ZooKeeper can read, the last of each id
    bool areElsewhere = false; // in the file of dynamicConfigFile
    bool areGrouped = false; // votes are weighted, so that their number says little

    // Such servers replicate what they have.
    bool isEnsemble() const { return areElsewhere || all.size() > 1; }
};

Members membersOf(const ServerConfig &config);

// Judges the lines server.N, and what only servers of an ensemble need.
Findings checkMembers(const ServerConfig &config);

} // namespace drover::app
