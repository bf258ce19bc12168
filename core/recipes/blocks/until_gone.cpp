#include "recipes/blocks/until_gone.h"

#include "recipes/blocks/persist.h"

namespace drover::recipes {

using zk::Answer;

async::Task<void> untilGone(zk::Client &zk, zk::Path path, zk::Zxid czxid)
{
    for (;;) {
        zk::Watch watch;
        const auto look = [&] {
            return zk.get(path, watch);
        }; // not exists(), which would wait for the next one as well
        const Answer<zk::Node> node = co_await persist(zk, look);
        if (node.ok() && czxid == 0)
            czxid = node->stat.czxid;
        if (!node.ok() || node->stat.czxid != czxid)
            co_return;
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
}

} // namespace drover::recipes
