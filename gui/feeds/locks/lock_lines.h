#pragma once

#include "gui/data/snapshots.h"
#include "recipes/blocks/node_kind.h"

namespace drover::gui {

// What kind of lock a directory with these children is, judged by their names as recipes::kindOf() does. An election, a
// semaphore, and a double barrier in which all are count as locks. Other: it is none of these. Curator's, kazoo's and
// ZooKeeper's names are known, which are Drover's as well.
recipes::NodeKind lockKindOf(const QByteArrayList &names);

// The directories below it, relative to it, in which the contenders are: "" itself; of a semaphore of Curator's its
// "leases" and "locks".
QByteArrayList linesOf(recipes::NodeKind kind);

// The places among these names, in their order.
QByteArrayList placesIn(recipes::NodeKind kind, const QByteArrayList &names);

// Numbers the places of the rows of one lock; `leases` and `admission` are those of its lines, each in its order. A
// contender who takes a lease of a semaphore has a place in both, and waits until its place in `admission` is given up.
QList<LockRow> placed(recipes::NodeKind kind, QList<LockRow> leases, QList<LockRow> admission);

// As above, for a limit with so many permits, whose first leases hold them. The other leases wait, and so do those who
// are not admitted yet. Who is being admitted has a ticket and leases, and is shown once, as waiting.
QList<LockRow> placedInLimit(int permits, QList<LockRow> leases, QList<LockRow> admission);

} // namespace drover::gui
