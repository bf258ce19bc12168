#pragma once

#include "zk/path.h"
#include "zk/types.h"

namespace drover::jobs {

// The sequence numbers of a directory: ZooKeeper gives one to each sequential child, from 0 to zk::LastSequence, and
// none twice. A queue, a lock and a limit end with their numbers; others go on.

// How many numbers the directory has given out, by its Stat. Each child changes the children twice, when it is created
// and when it is deleted.
inline qint64 numbersGiven(const zk::Stat &directory)
{
    return (qint64(quint32(directory.cversion)) + directory.numChildren) / 2; // the server's counter is unsigned
}

// From then on people are warned: at a hundred a second, 24 days before the last.
inline constexpr qint64 NumbersNearlyUsedUp = qint64(zk::LastSequence) / 10 * 9;

} // namespace drover::jobs
