#pragma once

#include "jobs/model/layout.h"
#include "zk/transaction.h"

namespace drover::jobs {

// Gives a job another place in its queue, another class or priority, in one transaction with whatever else the caller
// does:
//
//     delete(<queue>/<from>, version) ; create(<queue>/<to>) ; set(<queue>/<to>) as often as `version` says
//
// So the version goes on counting claims at the new node, and a zombie's report fails there as it does here. An array
// is never claimed; its version begins anew. The job must not be claimed, or its claim must go in this transaction. If
// the job was read before its claim (lookUp) and still has its version, neither it nor its claim has changed since. The
// transaction also notifies the master if the job is the master's from now on.
zk::Transaction &reposition(zk::Transaction &transaction, const Layout &layout, const QByteArray &queue,
                            const QueueEntry &from, const QueueEntry &to, qint32 version, const QByteArray &data);

// Whether the master must act on such a job.
bool isMasters(QueueEntry::Class jobClass);

// Notifies the master of a change among the jobs that it looks after. The master follows this node's data, not the
// queue, in which every plain job would wake it.
zk::Transaction &tellMaster(zk::Transaction &transaction, const Layout &layout, const QByteArray &queue);

} // namespace drover::jobs
