#pragma once

#include "app/completion/expected_word.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// The names of one kind in the cluster; the user has typed `begun`. It takes at most three round trips of listings. It
// reads nodes only for labels, for shared files, and for tags and names, of the first 200 unfinished jobs. Tasks of an
// array are listed only once its id and a dot have been typed. Empty for kinds that are not in the cluster. Throws
// SessionLost and ConnectionLoss.
async::Task<QList<Candidate>> clusterWords(jobs::Cluster cluster, CompletionKind kind, QString begun);

bool isInCluster(CompletionKind kind);

// The words of a kind that this machine knows: signals, time zones, shells. Empty for other kinds.
QList<Candidate> localWords(CompletionKind kind);

} // namespace drover::app
