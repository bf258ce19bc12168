#include "recipes/blocks/until_gone.h"

#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;

async::Task<void> untilGone(zk::Client &zk, zk::Path path, zk::Zxid czxid)
{
    for (;;) {
        zk::Watch watch;
        // Not exists(), which would wait for the next one as well.
        const Answer<zk::Node> node = co_await Persistent(zk).get(path, watch);
        if (node.ok() && czxid == 0)
            czxid = node->stat.czxid;
        if (!node.ok() || node->stat.czxid != czxid)
            co_return;
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
}

} // namespace drover::recipes
