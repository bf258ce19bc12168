#pragma once

#include "gui/data/snapshots.h"
#include "recipes/blocks/node_kind.h"

namespace drover::gui {

// The kind of lock that a directory with these children is. Judges by their names, as recipes::kindOf() does.
// Elections, semaphores, and double barriers that all parties have entered count as locks. Returns Other for everything
// else. Knows the names of Curator, kazoo and ZooKeeper, which Drover uses as well.
recipes::NodeKind lockKindOf(const QByteArrayList &names);

// The directories that hold a lock's contenders, relative to the lock's own. That is "" alone, the lock's own
// directory; for Curator's semaphore they are "leases" and "locks".
QByteArrayList linesOf(recipes::NodeKind kind);

// The names that are contenders of this kind of lock, in the order of the line. Leaves out all others.
QByteArrayList placesIn(recipes::NodeKind kind, const QByteArrayList &names);

// Numbers the rows of one lock by their places in line. `leases` and `admission` are the rows of its two directories,
// each in the order of the line. A contender that takes a lease of a semaphore has a node in both. It waits until its
// node in `admission` is deleted.
QList<LockRow> placed(recipes::NodeKind kind, QList<LockRow> leases, QList<LockRow> admission);

// As above, for a limit with that many permits. The first leases hold the permits. The other leases wait, and so do the
// contenders that are not admitted yet. A contender that is being admitted has a ticket and leases: it is shown once,
// as waiting.
QList<LockRow> placedInLimit(int permits, QList<LockRow> leases, QList<LockRow> admission);

// Of a double barrier's members: all are inside once it is ready. Before, they wait, in the order in which they came.
QList<LockRow> placedInBarrier(bool isReady, QList<LockRow> members);

// Of the nodes of closed barriers: a row for each, which has no contender.
QList<LockRow> closedBarriers(const QList<LockRow> &nodes);

} // namespace drover::gui
