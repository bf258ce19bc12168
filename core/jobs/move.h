#pragma once

#include "jobs/layout.h"
#include "zk/transaction.h"

namespace drover::jobs {

// Gives a job another place in its queue, another class or priority, in one transaction with whatever else the caller
// does:
//
//     delete(<queue>/<from>, version) ; create(<queue>/<to>) ; set(<queue>/<to>) as often as `version` says
//
// so that the version goes on counting claims at the new node: a zombie's report fails there as it does here (an array
// is never claimed, its version begins anew). To be moved the job must not be claimed, or its claim must go in the same
// transaction: what was read in the order job, claim (lookUp) and has the same version is as it was read.
// Adds a word to the master if it is the master's from now on.
zk::Transaction &move(zk::Transaction &transaction, const Layout &layout, const QByteArray &queue,
                      const QueueEntry &from, const QueueEntry &to, qint32 version, const QByteArray &data);

// Whether the master has to look at such a job.
bool isMasters(QueueEntry::Class jobClass);

// Tells the master that there is something new among the jobs that are its own: it follows this node's data, not the
// queue, in which every plain job would wake it.
zk::Transaction &tellMaster(zk::Transaction &transaction, const Layout &layout, const QByteArray &queue);

} // namespace drover::jobs
