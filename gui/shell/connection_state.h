#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

// What a page needs to know about the connection to say how good what it shows is, and why it shows nothing.
struct ConnectionState {
    SessionStatus session;
    bool clusterExists = false; // as far as is known
    QString asOf; // "21:55:30": all that is shown is of that time; empty: of now

    bool isConnected() const { return session.phase == SessionStatus::Phase::Connected; }
    // Whether the cluster has no roles: all who reach its ZooKeeper may change it. The cluster says so, whatever the
    // session has.
    bool isOpen() const { return session.access == ClusterAccess::Open; }
    bool isStale() const { return !asOf.isEmpty(); }
    // Why nothing can be known now; empty while connected.
    QString whyNothing() const;
    // That command for a terminal, whose own settings may name another ensemble.
    QString commandFor(const QStringList &words) const;

    friend bool operator==(const ConnectionState &, const ConnectionState &) = default;
};

} // namespace drover::gui
