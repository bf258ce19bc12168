#pragma once

#include "support/await.h"
#include "zk/client.h"

#include <algorithm>
#include <vector>

namespace drover::test {

using Paths = std::vector<zk::Path>;

// Adds those of the nodes that are open to `found`, and their children to `below`.
inline async::Task<void> lookAtNodes(zk::Client &zk, Paths nodes, QByteArrayList *found, Paths *below)
{
    std::vector<zk::Reply<zk::AclOfNode>> acls;
    std::vector<zk::Reply<zk::Children>> listings;
    for (const zk::Path &path : nodes) {
        acls.push_back(zk.acl(path));
        listings.push_back(zk.children(path));
    }
    const auto isOpen = [](const zk::Acl &entry) { return entry.scheme == "world"; };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const zk::Answer<zk::AclOfNode> acl = co_await acls[i];
        if (acl.ok() && std::any_of(acl->acl.begin(), acl->acl.end(), isOpen)) // one that has gone is not
            found->append(nodes[i].bytes());
        const zk::Answer<zk::Children> children = co_await listings[i];
        for (const QByteArray &name : children->names)
            below->push_back(nodes[i] / name);
    }
}

inline async::Task<void> lookBelow(zk::Client &zk, Paths level, QByteArrayList *found)
{
    constexpr std::ptrdiff_t Flight = 500;
    while (!level.empty()) {
        Paths below;
        for (auto from = level.begin(); from != level.end();) {
            const auto to = from + std::min(Flight, level.end() - from);
            co_await lookAtNodes(zk, Paths(from, to), found, &below);
            from = to;
        }
        level = std::move(below);
    }
}

// The nodes from `root` down that clients without credentials may use in some way. `zk` must be allowed to read all. Of
// a closed cluster there are none, whatever has run in it.
inline QByteArrayList openNodes(zk::Client &zk, const zk::Path &root)
{
    QByteArrayList found;
    await(lookBelow(zk, Paths{root}, &found));
    return found;
}

} // namespace drover::test
