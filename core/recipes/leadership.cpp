#include "recipes/leadership.h"

#include "recipes/persist.h"

namespace drover::recipes {

async::Task<std::optional<Participant>> holderOf(zk::Coordinator &zk, zk::Path path)
{
    const auto read = [&] { return zk.get(path); };
    const zk::Answer<zk::Node> node = co_await persist(zk, read);
    if (!node.ok())
        co_return std::nullopt;
    co_return Participant{node->data, Fence{path, node->stat.czxid, node->stat.ephemeralOwner}};
}

} // namespace drover::recipes
