#pragma once

#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <QStringList>

namespace drover::app {

// The znodes by which the cluster agrees, as they are now, drawn for people: the election, one lock with those who wait
// for it, and the claims. Throws SessionLost, ConnectionLoss.
async::Task<QStringList> drawZnodes(zk::Coordinator &zk, jobs::Layout layout, QByteArray lock);

} // namespace drover::app
