#pragma once

#include "async/task.h"
#include "zk/ensemble/ensemble.h"

namespace drover::app {

class Context;

// The text of /zookeeper/config, which all clients may read, if no report has the membership. Empty if it cannot be
// read. It connects the session of the context.
async::Task<QByteArray> configBeside(Context &context, const std::vector<zk::ServerReport> &reports);

} // namespace drover::app
