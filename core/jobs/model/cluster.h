#pragma once

#include "jobs/model/layout.h"
#include "trust/credentials.h"
#include "zk/client.h"

#include <memory>

namespace drover::jobs {

// A cluster through one session: the session, and the paths of the cluster's znodes. In a closed cluster it has what
// this process needs to sign and to verify jobs. It is a handle: copy it freely, and pass it by value, also to
// coroutines. The session must outlive all copies.
struct Cluster {
    // The constructor makes this a class with a name to await: aggregates must not stand in an awaited call.
    Cluster(zk::Client &session, Layout paths, std::shared_ptr<const trust::Credentials> mine = nullptr)
        : zk(session), layout(std::move(paths)), credentials(std::move(mine))
    {
    }

    zk::Client &zk;
    Layout layout;
    std::shared_ptr<const trust::Credentials> credentials; // null: the cluster is open, and its jobs are not signed
};

} // namespace drover::jobs
