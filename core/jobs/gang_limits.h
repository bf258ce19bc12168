#pragma once

#include "jobs/job_spec.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// A limit of which each member of a gang holds one permit while it runs: a named one, or that of the gang's queue. A
// gang that is wider than one of them cannot begin before somebody raises it.
struct GangLimit {
    QByteArray name; // of the limit, or of the queue
    bool ofQueue = false;

    // That says how many permits there are.
    zk::Path node(const Layout &layout) const { return ofQueue ? layout.queue(name) : layout.permits(name); }
    // What such a node says; null: there is none. 0 if nobody can read it, for then nobody is admitted.
    int permits(const zk::Node *node) const;
};

// Those that may be too low for this gang.
std::vector<GangLimit> limitsOn(const JobSpec &gang);

struct LowLimit {
    GangLimit limit;
    int permits = 0;
};

// The first of them that is lower than the gang is wide. Waits out lost connections; throws SessionLost.
async::Task<std::optional<LowLimit>> lowLimit(zk::Coordinator &zk, Layout layout, JobSpec gang);

} // namespace drover::jobs
