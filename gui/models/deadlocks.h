#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

// A circle of owners, each of which waits for a lock that the next one holds. None of them goes on by itself. An owner
// is a session, together with what its contender says about itself: a worker's session holds locks for many jobs. An
// owner that waits for itself is no deadlock, because another of its threads may hold the lock.
struct Deadlock {
    QList<LockRow> waiting; // the contenders, one of each owner, in the order of the circle

    // "alpha → beta → alpha"
    QString path() const;
};

// Each owner is in at most one of the circles that are returned.
QList<Deadlock> findDeadlocks(const QList<LockRow> &rows);

} // namespace drover::gui
