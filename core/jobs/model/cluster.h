#pragma once

#include "jobs/model/layout.h"
#include "zk/client.h"

namespace drover::jobs {

// A cluster through one session: the session, and the paths of the cluster's znodes. It is a handle: copy it freely,
// and pass it by value, also to coroutines. The session must outlive all copies.
struct Cluster {
    // The constructor makes this a class with a name to await: aggregates must not stand in an awaited call.
    Cluster(zk::Client &session, Layout paths) : zk(session), layout(std::move(paths)) { }

    zk::Client &zk;
    Layout layout;
};

} // namespace drover::jobs
