#include "recipes/follow.h"

namespace drover::recipes {

using zk::Answer;

namespace {

// One look: reads with a watch, shows what is there, returns when it has changed. `Value` is what `read` answers.
template <typename Value, typename Read, typename Show>
async::Task<void> lookOnce(zk::Coordinator &zk, zk::Path path, Read read, Show show)
{
    zk::Watch watch;
    const auto reading = read(watch);
    const Answer<Value> answer = co_await reading;
    if (!answer.ok()) {
        const Answer<zk::Stat> missing = co_await zk.exists(path, watch);
        if (missing.ok())
            co_return; // it has just appeared: read it
    }
    show(answer);
    const async::Future<zk::WatchEvent> fired = watch.fired();
    co_await fired;
}

template <typename Value, typename Read, typename Show>
async::Task<void> lookForEver(zk::Coordinator &zk, zk::Path path, Read read, Show show)
{
    for (;;) {
        try {
            co_await lookOnce<Value, Read, Show>(zk, path, read, show);
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace

async::Task<void> followChildren(zk::Coordinator &zk, zk::Path path, std::function<void(const zk::Children &)> onChange)
{
    const auto read = [&](zk::Watch &watch) { return zk.children(path, watch); };
    const auto show = [&](const Answer<zk::Children> &answer) { onChange(answer.ok() ? *answer : zk::Children()); };
    co_await lookForEver<zk::Children>(zk, path, read, show);
}

async::Task<void> followData(zk::Coordinator &zk, zk::Path path, std::function<void(const zk::Node *)> onChange)
{
    const auto read = [&](zk::Watch &watch) { return zk.get(path, watch); };
    const auto show = [&](const Answer<zk::Node> &answer) { onChange(answer.ok() ? &*answer : nullptr); };
    co_await lookForEver<zk::Node>(zk, path, read, show);
}

} // namespace drover::recipes
