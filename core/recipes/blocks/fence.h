#pragma once

#include "zk/transaction.h"

#include <optional>

namespace drover::recipes {

// Proof of holding a lock, an election or a claim: the holder's own znode. The holder adds guard() to each protected
// transaction. ZooKeeper then refuses the write of a deposed holder, however late it arrives (Burrows, "The Chubby lock
// service", OSDI 2006, calls it a sequencer).
//
// Give token() to storage that can compare numbers. For one resource a later holder's token is always greater, because
// it is the id of the transaction that created the holder's node. Node names and sequence numbers have no such order: a
// directory that was deleted counts from zero again.
struct Fence {
    zk::Path path;
    zk::Zxid czxid = 0;
    zk::SessionId session = 0;
    // Set for a node of a fixed name, because a successor's node has that name as well: checks the node whose version
    // counts the holders.
    std::optional<zk::Transaction::Check> epoch = std::nullopt;
    // The result of token() in place of czxid, for a node that replaces an older node of its holder.
    std::optional<zk::Zxid> heldSince = std::nullopt;

    zk::Transaction &guard(zk::Transaction &transaction) const
    {
        transaction.check(path);
        return epoch ? transaction.check(epoch->path, epoch->version) : transaction;
    }
    QByteArray token() const { return QByteArray::number(heldSince.value_or(czxid)); }
};

} // namespace drover::recipes
