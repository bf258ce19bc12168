#include "recipes/blocks/participants.h"

#include "recipes/blocks/child_nodes.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::recipes {

namespace {

Participant participant(const zk::Path &path, const zk::Node &node)
{
    return {Fence{path, node.stat.czxid, node.stat.ephemeralOwner}, node.data};
}

} // namespace

async::Task<std::vector<Participant>> participants(zk::Client &zk, zk::Path directory)
{
    std::vector<ChildNode> nodes = co_await childNodes(zk, directory);
    std::erase_if(nodes, [](const ChildNode &child) { return !zk::sequenceOf(child.name); });
    std::sort(nodes.begin(), nodes.end(), [](const ChildNode &a, const ChildNode &b) {
        return zk::sequenceBefore(*zk::sequenceOf(a.name), *zk::sequenceOf(b.name));
    });
    std::vector<Participant> present;
    for (const auto &[name, node] : nodes)
        present.push_back(participant(directory / name, node));
    co_return present;
}

async::Task<std::optional<Participant>> holderOf(zk::Client &zk, zk::Path path)
{
    const zk::Answer<zk::Node> node = co_await Persistent(zk).get(path);
    if (!node.ok())
        co_return std::nullopt;
    co_return participant(path, *node);
}

} // namespace drover::recipes
