#pragma once

#include "support/await.h"
#include "zk/client.h"

#include <algorithm>

namespace drover::test {

inline async::Task<void> collectOpenNodes(zk::Client &zk, zk::Path path, QByteArrayList *found)
{
    const zk::Answer<zk::AclOfNode> acl = co_await zk.acl(path);
    if (!acl.ok())
        co_return; // it has gone
    if (std::any_of(acl->acl.begin(), acl->acl.end(), [](const zk::Acl &entry) { return entry.scheme == "world"; }))
        found->append(path.bytes());
    const zk::Answer<zk::Children> children = co_await zk.children(path);
    for (const QByteArray &name : children->names)
        co_await collectOpenNodes(zk, path / name, found);
}

// The nodes from `root` down that clients without credentials may use in some way. `zk` must be allowed to read all. Of
// a closed cluster there are none, whatever has run in it.
inline QByteArrayList openNodes(zk::Client &zk, const zk::Path &root)
{
    QByteArrayList found;
    await(collectOpenNodes(zk, root, &found));
    return found;
}

} // namespace drover::test
