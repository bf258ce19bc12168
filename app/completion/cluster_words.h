#pragma once

#include "app/completion/expected_word.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::app {

// The names in the cluster of one kind, of which the user has typed `begun`: three round trips of listings at most, and
// no node is read but for labels, shared files, and for tags and names those of the first 200 unfinished jobs. Of a
// queue's jobs the tasks of an array are left out until its id and a dot have been typed. Nothing for kinds that are
// not in the cluster. Throws SessionLost, ConnectionLoss.
async::Task<QList<Candidate>> clusterWords(zk::Coordinator &zk, jobs::Layout layout, ValueKind kind, QString begun);

bool isInCluster(ValueKind kind);

} // namespace drover::app
