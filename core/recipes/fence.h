#pragma once

#include "zk/transaction.h"

#include <optional>

namespace drover::recipes {

// Proof of holding something: the holder's own znode. Whoever writes under the protection of a lock, an election or a
// claim adds guard() to the transaction, and ZooKeeper itself refuses the write of a holder that has been deposed,
// however late it comes (Burrows, "The Chubby lock service", OSDI 2006, calls it a sequencer).
//
// Storage that can compare numbers should be given token(): for one resource a later holder's is always greater,
// because it is the id of the transaction that created the holder's node. Node names and sequence numbers have no such
// order: a directory that was deleted counts from zero again.
struct Fence {
    zk::Path path;
    zk::Zxid czxid = 0;
    zk::SessionId session = 0;
    // For a node of a fixed name, which a successor's node has as well: a node whose version counts the holders.
    std::optional<zk::Transaction::Check> epoch = std::nullopt;

    zk::Transaction &guard(zk::Transaction &transaction) const
    {
        transaction.check(path);
        return epoch ? transaction.check(epoch->path, epoch->version) : transaction;
    }
    QByteArray token() const { return QByteArray::number(czxid); }
};

} // namespace drover::recipes
