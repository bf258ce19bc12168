#pragma once

#include "trust/credentials.h"

namespace drover::gui {

// What a user has given for one connection, or what the keyring keeps for it. At most one of the two is there. Nothing:
// the connection has the credentials that a command would find. It is a value, and crosses the threads.
struct GivenCredentials {
    std::shared_ptr<const trust::Credentials> ofCluster{}; // of a cluster of Drover
    QByteArray digest{}; // "user:password", for ZooKeeper's scheme of that name

    bool isGiven() const { return ofCluster || !digest.isEmpty(); }
};

} // namespace drover::gui
