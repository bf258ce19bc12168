#pragma once

#include "app/doctor/finding.h"
#include "async/loop.h"
#include "async/task.h"

namespace drover::app {

// Checks each server of the connect string with the command "srvr", all at once, in at most two seconds. It needs no
// session.
async::Task<Findings> checkServers(async::Loop &loop, QString connectString);

} // namespace drover::app
