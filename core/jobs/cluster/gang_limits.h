#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/job_spec.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// A limit of which each member of a gang holds one permit while it runs: a named limit, or the limit of the gang's
// queue. A gang with more members than permits cannot begin until the limit is raised.
struct GangLimit {
    QByteArray name; // name of the limit or of the queue
    bool ofQueue = false;

    // The znode that stores the number of permits.
    zk::Path node(const Layout &layout) const { return ofQueue ? layout.queue(name) : layout.permits(name); }
    // The number of permits in that node; null means that the node does not exist. 0 if the data is malformed, because
    // then no job is admitted.
    int permits(const zk::Node *node) const;
};

// The limits that apply to this gang.
std::vector<GangLimit> limitsOn(const JobSpec &gang);

struct LowLimit {
    GangLimit limit;
    int permits = 0;
};

// The first of these limits that is less than the gang's members. Waits out lost connections; throws SessionLost.
async::Task<std::optional<LowLimit>> lowLimit(Cluster cluster, JobSpec gang);

} // namespace drover::jobs
