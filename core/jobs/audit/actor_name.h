#pragma once

#include "jobs/model/cluster.h"

namespace drover::jobs {

// Who makes the changes of this process, for the notes that others read: the name in its certificate, in an open
// cluster submitterName(). Nothing proves a note of it; the entry of the audit does.
QString actorName(const Cluster &cluster);

} // namespace drover::jobs
