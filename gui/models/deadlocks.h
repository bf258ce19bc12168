#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

// A session, together with what its contender says about itself: a worker's session holds locks for many jobs.
using LockOwner = std::pair<zk::SessionId, QByteArray>;

// A request to let go overwrites what a contender said. Who was asked is an owner of its own, as it may be any of the
// session.
LockOwner ownerOf(const LockRow &row);

// What the contender says of itself, without whose locks it runs under.
QByteArray ownWordsOf(const LockRow &row);

// Whether the row has a request in place of what the contender said.
bool wasAsked(const LockRow &row);

// Whether the contender can be asked to let go. A leaked place has no program to ask. Semaphores, elections and kazoo's
// locks know no requests.
bool canBeAsked(const LockRow &row);

// Whether the contender is a member of a double barrier. It holds nothing that another would get.
bool isMember(const LockRow &row);

// A command runs while `outer` holds a lock, and holds or awaits another in a session of its own. So it is with
// `drover lock a -- drover lock b -- make`, and a job with --lock that runs drover (recipes/locks/outer_owners.h).
struct Nesting {
    LockOwner outer;
    LockRow inner;
};
// One of each pair of owners.
QList<Nesting> nestingsIn(const QList<LockRow> &rows);

// A circle of owners, each of which waits for a lock that the next one holds, or for a command of its own that does.
// None of them goes on by itself. An owner that waits for itself is no deadlock, because another of its threads may
// hold the lock. An owner is taken to wait for its command, and the command for each drover that it has started.
//
// An owner that waits for a limit or a semaphore goes on once any of the holders can. An owner that waits in several
// places goes on once it can in one of them. Such owners are in no circle.
struct Deadlock {
    QList<LockRow> waiting; // the contenders that wait for a lock, in the order of the circle
    QList<LockOwner> owners; // all, in that order: also those that wait for their commands
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
