#pragma once

#include "jobs/model/cluster.h"

#include <QStringList>

namespace drover::app {

// Draws the present znodes of the cluster for people: the election, one lock with its waiters, and the claims. Throws
// SessionLost and ConnectionLoss.
async::Task<QStringList> drawZnodes(jobs::Cluster cluster, QByteArray lock);

} // namespace drover::app
