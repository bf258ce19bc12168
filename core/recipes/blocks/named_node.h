#pragma once

#include "recipes/blocks/own_node.h"

namespace drover::recipes {

// An ephemeral znode of a fixed name. The client that creates it first holds it.
//
//     <path>           ephemeral, data = the holder's
//     <path>-epoch     persistent, for elections and locks: its version counts the holders; its data is
//                      "<uuid> <data>" of the last holder, with a new uuid for each create
//
//     create <path>; with an epoch: multi(create <path>, setData epoch)      -- one round trip
//     it exists, a create's reply was lost, it is our session's, and the epoch has our uuid: we hold it
//     it exists otherwise: an older session, another process, or another object of this session holds it
//     the parent is missing: create it, start again
//
// Destroying a NamedNode deletes the node (OwnNode). Destroying the coroutine that takes a node deletes the node that
// it may have created, recognised by the uuid.
//
// Without an epoch there is no place for a uuid. So after a lost reply every node of this name and session counts as
// ours. Deletes that the session has pending are carried out first. A cancelled create is searched for behind a sync,
// because the server may commit it after the reconnection. In one session only one object at a time may take such a
// name.
//
// The fence. check(<path>) alone would pass for any later holder as well. So an election counts its holders in the
// epoch node, and the fence checks that version too. Without an epoch the fence only proves that some holder of this
// name exists. A program that creates the bare node does not change the epoch; the fence cannot tell it from the holder
// before it.
class NamedNode : public OwnNode
{
public:
    struct Terms {
        // The epoch node, with the version that it must have, or AnyVersion.
        std::optional<zk::Transaction::Check> epoch = std::nullopt;
        std::optional<Fence> under = std::nullopt; // another fence to check with it
    };
    struct Taken;

    static zk::Path epochBeside(const zk::Path &path) { return path.parent() / (path.name() + "-epoch"); }

    // Waits until the name is free. Its release wakes every waiter, so use it for few waiters. Throws SessionLost.
    static async::Task<NamedNode> take(zk::Client &zk, zk::Path path, QByteArray data,
                                       std::optional<zk::Path> epoch = std::nullopt);
    // Tries once. If another client holds the node, `watch` is set on it, unless it has just gone. `watch` must outlive
    // the task. Throws SessionLost.
    static async::Task<Taken> tryTake(zk::Client &zk, zk::Path path, QByteArray data, Terms terms,
                                      zk::Watch *watch = nullptr);

    NamedNode(zk::Client &zk, Fence fence) : OwnNode(zk, std::move(fence), Name::Fixed) { }
};

struct NamedNode::Taken {
    std::optional<NamedNode> node; // set: we hold it
    zk::Zxid holder = 0; // else: czxid of the present node; 0: the terms failed
};

} // namespace drover::recipes
