#pragma once

#include "zk/client.h"
#include "zk/node_life.h"

#include <functional>
#include <vector>

namespace drover::gui {

struct SubtreeNode {
    zk::Path path;
    QByteArray data; // unless only the size was asked for
    zk::AclList acl; // with the data
    zk::Stat stat;

    // A container and a node with a time to live are not: they are written as persistent nodes.
    bool isEphemeral() const { return zk::sessionOf(stat) != 0; }
};

struct SubtreeSize {
    qint64 nodes = 0;
    qint64 bytes = 0; // of data
    qint64 ephemerals = 0;
};

// It has more nodes or bytes than are handled at once, or could not be read as a whole. Nothing was changed.
class SubtreeTrouble : public std::runtime_error
{
public:
    explicit SubtreeTrouble(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// A node and all below it, parents before their children. Nodes that go meanwhile are left out.
using Subtree = std::vector<SubtreeNode>;

constexpr std::size_t MaxSubtreeNodes = 100'000;
constexpr qint64 MaxSubtreeBytes = 256 * 1024 * 1024;

SubtreeSize sizeOf(const Subtree &subtree);

// All wait out lost connections while they read, and keep few requests in flight. They throw SessionLost, AccessDenied
// and SubtreeTrouble. What they have written when they throw stays written.
enum class SubtreePart { Stats, All };
async::Task<Subtree> readSubtree(zk::Client &zk, zk::Path top, SubtreePart part);

// Deletes these nodes, children first, each at the version in which it was read. Throws SubtreeTrouble at the first
// that has changed, or has a child that was not read.
async::Task<void> removeSubtree(zk::Client &zk, Subtree subtree);

enum class Conflict { Refuse, Keep, Overwrite };

struct WriteRules {
    Conflict conflict = Conflict::Refuse; // Refuse: nothing is written if one of the nodes exists
    bool ephemeralsAsPersistent = false; // false: they are left out, with all below them
};

struct Written {
    qint64 created = 0;
    qint64 overwritten = 0;
    qint64 kept = 0; // they exist, and the rules keep them
    qint64 leftOut = 0; // ephemerals
};

// Creates the nodes with their ACLs, parents first. A node that exists is overwritten at the version that is found.
// The parent of the first must exist. `begin` is awaited before the first write, once nothing refuses the whole. What
// it throws is thrown.
using BeforeWrites = std::function<async::Task<void>()>;
async::Task<Written> writeSubtree(zk::Client &zk, Subtree subtree, WriteRules rules, BeforeWrites begin = {});

// These nodes below another top. Throws InvalidPath.
Subtree moved(const Subtree &subtree, const zk::Path &top);

} // namespace drover::gui
