#pragma once

#include "app/environment/context.h"
#include "app/environment/revocation_list.h"
#include "jobs/cluster/cluster_trust.h"

namespace drover::app {

// A clock that is more wrong than that would give certificates with wrong dates.
constexpr std::chrono::minutes MostClockError{5};

// Throws CommandError (WrongState) for an open cluster: it has no users.
std::shared_ptr<const trust::Credentials> requireCredentials(const Context &context);

// This command as the cluster's administrator: with the root key, and with a session that may change access.
struct Administrator {
    trust::Issuer issuer;
    jobs::Cluster cluster;
    RevocationList revocations; // with those that are kept beside the root key

    // With the revocations that are kept. Blocks on the file system. Throws CommandError (Denied).
    trust::TrustStore known() const { return revocations.known(issuer.anchors()); }

    // Reads the root key and connects. Throws CommandError: Denied for credentials that are not an administrator's, and
    // WrongState if this machine's clock is more than MostClockError off ZooKeeper's.
    static async::Task<Administrator> of(Context &context);
};

// What to say of this machine's clock if it is more than MostClockError off. A write was sent at `sent` by this clock,
// and stamped by ZooKeeper's. Empty: it is right enough. Call it when the answer has come.
QString clockTrouble(async::Loop &loop, std::chrono::milliseconds sent, std::chrono::milliseconds stamped);

// Checks this machine's clock by a node that it sets. Throws CommandError (WrongState).
async::Task<void> requireRightClock(async::Loop &loop, jobs::Cluster cluster);

} // namespace drover::app
