#pragma once

#include "jobs/model/cluster.h"

namespace drover::jobs {

// user@host of this process, for people. The first call asks the system for the user's name, which may block for as
// long as a directory service does. So do not call it on a session's thread.
QString submitterName();

// Who makes the changes of this process, for the notes that others read: the name in its certificate, in an open
// cluster submitterName(). Nothing proves a note of it; the entry of the audit does.
QString actorName(const Cluster &cluster);

} // namespace drover::jobs
