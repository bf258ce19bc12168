#pragma once

#include "recipes/fence.h"
#include "zk/coordinator.h"

#include <QPointer>

namespace drover::recipes {

// An ephemeral znode of a fixed name, held by whoever was first.
//
//     <path>           ephemeral, data = the holder's
//     <path>-epoch     persistent, of elections and locks: its version counts the holders, its data is "<uuid> <data>"
//                      of the last one, the uuid being of that one create
//
//     create <path>; with an epoch: multi(create <path>, setData epoch)      -- one round trip
//     it exists, and a create of ours was lost, and it is our session's, and the epoch has our uuid: we hold it
//     it exists otherwise: an earlier life of this name, a namesake, or another object of this session: somebody else's
//     the parent is missing: create it, start again
//
// Destroying a NamedNode deletes the node, and only that one: it is known by its epoch, or by its czxid, so a
// successor's node of the same name is left alone, whoever made it. Destroying the coroutine that takes one deletes
// what it may have made, known by the uuid. Both are obligations that the Coordinator keeps.
//
// Without an epoch there is no room for a mark: every node of the name and of our session passes for the one whose
// reply was lost, or whose create was cancelled. What the session still has to delete is deleted first. A cancelled
// create is looked for behind a sync: it may be committed after the session has come back. In one session only one
// object at a time may take such a name.
//
// The fence. check(<path>) alone would pass for any later holder as well, so an election counts its holders in the
// epoch node, and the fence checks its version too. Without an epoch the fence says that somebody of this name is
// there. A holder who does not count (another program that creates the bare node) is not told from the one before it.
class NamedNode
{
public:
    struct Terms {
        std::optional<zk::Transaction::Check> epoch = std::nullopt; // with the version it must have, or AnyVersion
        std::optional<Fence> under = std::nullopt; // what else must be held, checked in the same transaction
    };
    struct Attempt;

    static zk::Path epochBeside(const zk::Path &path) { return path.parent() / (path.name() + "-epoch"); }

    // Waits until the name is free. Every waiter is told when it is: a herd, which suits few waiters. Throws
    // SessionLost.
    static async::Task<NamedNode> take(zk::Coordinator &zk, zk::Path path, QByteArray data,
                                       std::optional<zk::Path> epoch = std::nullopt);
    // Once. `watch`, if given, is on the node that is in the way, unless that has just gone, and has to outlive the
    // task. Throws SessionLost.
    static async::Task<Attempt> tryTake(zk::Coordinator &zk, zk::Path path, QByteArray data, Terms terms,
                                        zk::Watch *watch = nullptr);

    NamedNode(zk::Coordinator &zk, Fence fence) : m_zk(&zk), m_fence(std::move(fence)) { }
    NamedNode(NamedNode &&other) noexcept : m_zk(std::exchange(other.m_zk, nullptr)), m_fence(std::move(other.m_fence))
    {
    }
    NamedNode &operator=(NamedNode &&other) noexcept
    {
        std::swap(m_zk, other.m_zk);
        std::swap(m_fence, other.m_fence);
        return *this;
    }
    ~NamedNode() { giveUp(); }

    const Fence &fence() const { return m_fence; }
    zk::Coordinator &coordinator() const { return *m_zk; }

    // Without waiting for the server.
    void giveUp();

private:
    QPointer<zk::Coordinator> m_zk;
    Fence m_fence;
};

struct NamedNode::Attempt {
    std::optional<NamedNode> node; // ours
    zk::Zxid holder = 0; // or the node that is in the way; 0: the terms do not hold
};

} // namespace drover::recipes
