#pragma once

#include "app/doctor/finding.h"
#include "zk/ensemble/server_report.h"

namespace drover::app {

// Whether this server serves, and how fast.
Finding findingOf(const zk::ServerReport &report);

// Checks each server of the connect string with the command "srvr", all at once, in at most two seconds. It needs no
// session.
async::Task<Findings> checkServers(async::Loop &loop, QString connectString);

} // namespace drover::app
