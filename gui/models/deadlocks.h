#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

// A session, together with what its contender says about itself: a worker's session holds locks for many jobs.
using LockOwner = std::pair<zk::SessionId, QByteArray>;

// A request to let go overwrites what a contender said. Who was asked is an owner of its own, as it may be any of the
// session.
LockOwner ownerOf(const LockRow &row);

// Whether the row has a request in place of what the contender said.
bool wasAsked(const LockRow &row);

// Whether the contender can be asked to let go. A leaked place has no program to ask. Semaphores, elections and kazoo's
// locks know no requests.
bool canBeAsked(const LockRow &row);

// A circle of owners, each of which waits for a lock that the next one holds. None of them goes on by itself. An
// owner that waits for itself is no deadlock, because another of its threads may hold the lock.
//
// An owner that waits for a limit or a semaphore goes on once any of the holders can. An owner that waits in several
// places goes on once it can in one of them. Such owners are in no circle.
struct Deadlock {
    QList<LockRow> waiting; // the contenders, one of each owner, in the order of the circle
    QList<LockRow> evidence; // these contenders and all others without which it would be none

    // "alpha → beta → alpha"
    QString path() const;
};

// Each owner is in at most one of the circles that are returned. Rows of different moments may show a circle that never
// was: an owner let go of one lock before it waited for the other. A circle is certain once all its evidence is found
// again, by path and czxid, after the last row was read. A place that was given up never comes back, so there was a
// moment at which all of them were there.
QList<Deadlock> findDeadlocks(const QList<LockRow> &rows);

} // namespace drover::gui
