#include "recipes/blocks/child_nodes.h"

#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;

async::Task<QByteArrayList> childNames(zk::Client &zk, zk::Path directory, zk::Watch *watch)
{
    const Persistent persistent(zk);
    for (;;) {
        async::Task<Answer<zk::Children>> listing =
            watch ? persistent.children(directory, *watch) : persistent.children(directory);
        const Answer<zk::Children> children = co_await listing;
        if (children.ok())
            co_return children->names;
        if (!watch)
            co_return QByteArrayList();
        const Answer<zk::Stat> missing = co_await persistent.exists(directory, *watch);
        if (!missing.ok())
            co_return QByteArrayList();
    }
}

async::Task<std::vector<ChildNode>> childNodes(zk::Client &zk, zk::Path directory, zk::Watch *watch)
{
    const QByteArrayList names = co_await childNames(zk, directory, watch);
    std::vector<zk::Reply<zk::Node>> reading;
    for (const QByteArray &name : names)
        reading.push_back(zk.get(directory / name));
    std::vector<ChildNode> nodes;
    for (std::size_t i = 0; i < reading.size(); ++i) {
        const zk::Path path = directory / names[static_cast<qsizetype>(i)];
        bool lost = false;
        try {
            const Answer<zk::Node> node = co_await reading[i];
            if (node.ok())
                nodes.emplace_back(ChildNode{path.name(), *node});
        } catch (const zk::ConnectionLoss &) {
            lost = true;
        }
        if (!lost)
            continue;
        const Answer<zk::Node> node = co_await Persistent(zk).get(path);
        if (node.ok())
            nodes.emplace_back(ChildNode{path.name(), *node});
    }
    co_return nodes;
}

} // namespace drover::recipes
