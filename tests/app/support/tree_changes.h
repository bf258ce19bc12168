#pragma once

#include "async/task.h"
#include "support/await.h"
#include "zk/client.h"

#include <map>

namespace drover::test {

// The nodes of a tree that outlive sessions, by their paths: when each was changed last, and its data.
using TreeContents = std::map<QByteArray, QByteArray>;

inline async::Task<void> collectTree(zk::Client &zk, zk::Path path, TreeContents *nodes)
{
    const zk::Answer<zk::Node> node = co_await zk.get(path);
    if (!node.ok() || node->stat.ephemeralOwner != 0)
        co_return;
    (*nodes)[path.bytes()] = QByteArray::number(node->stat.mzxid) + ' ' + node->data;
    const zk::Answer<zk::Children> children = co_await zk.children(path);
    for (const QByteArray &name : children->names)
        co_await collectTree(zk, path / name, nodes);
}

inline TreeContents treeContents(zk::Client &zk, const zk::Path &root)
{
    TreeContents nodes;
    await(collectTree(zk, root, &nodes));
    return nodes;
}

// The paths of what was created, changed or deleted.
inline QByteArrayList treeChanges(const TreeContents &before, const TreeContents &now)
{
    TreeContents all = now;
    all.insert(before.begin(), before.end());
    QByteArrayList changed;
    for (const auto &[path, data] : all) {
        const auto was = before.find(path);
        const auto is = now.find(path);
        if (was == before.end() || is == now.end() || was->second != is->second)
            changed << path;
    }
    return changed;
}

} // namespace drover::test
