#pragma once

#include "recipes/blocks/fence.h"

#include <QByteArray>
#include <QList>

namespace drover::recipes {

// A contender that holds a lock while a command of its own runs. The command may wait for other locks, in a session of
// its own: then the holder waits as well. So the command passes on whose it is:
//
//     environment   DROVER_LOCK_OWNER=0x1000a,0x2000b default-8      of all around it, the outermost first
//     data          "host process 7: sh; within 0x1000a,0x2000b default-8"     of its tickets and leases
//
// A candidate of an election has no room for it: its data is its id. Only programs that show or search waits read this.
// Nothing is decided by it: another program may have written it.
struct OuterOwner {
    zk::SessionId session = 0;
    QByteArray about{}; // what its nodes say, of a session with several owners, as a worker has for jobs; empty: any

    friend bool operator==(const OuterOwner &, const OuterOwner &) = default;
};

constexpr const char *OwnersVariable = "DROVER_LOCK_OWNER";
constexpr qsizetype MostOwners = 16; // that are passed on: the innermost

// The innermost of them. `about` of each is empty, or has only the letters of job ids.
QByteArray encodeOwners(const QList<OuterOwner> &owners);
// None if the text is malformed, as an unset variable is.
QList<OuterOwner> parseOwners(const QByteArray &text);

// The data of a node whose contender runs within these owners.
QByteArray aboutWithin(const QByteArray &about, const QList<OuterOwner> &owners);
QList<OuterOwner> ownersIn(const QByteArray &data);
// What the contender says of itself: the data without its owners.
QByteArray withoutOwners(const QByteArray &data);

} // namespace drover::recipes
