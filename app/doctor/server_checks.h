#pragma once

#include "app/doctor/finding.h"
#include "zk/ensemble/server_report.h"

#include <vector>

namespace drover::app {

// Whether each server serves, and how fast. The advice about one that does not leaves those alone that do.
Findings findingsOf(const std::vector<zk::ServerReport> &reports);

// Checks each server of the connect string with the command "srvr", all at once, in at most two seconds. It needs no
// session.
async::Task<Findings> checkServers(async::Loop &loop, QString connectString);

} // namespace drover::app
