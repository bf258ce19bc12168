#pragma once

#include "app/doctor/finding.h"
#include "async/loop.h"
#include "async/task.h"

namespace drover::app {

// Asks each server of the connect string how it is ("srvr"), all at once; two seconds at most. No session is needed.
async::Task<Findings> checkServers(async::Loop &loop, QString connectString);

} // namespace drover::app
