#include "recipes/blocks/follow.h"

namespace drover::recipes {

using zk::Answer;

namespace {

class Counted
{
public:
    explicit Counted(int *count) : m_count(count)
    {
        if (m_count)
            ++*m_count;
    }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    ~Counted()
    {
        if (m_count)
            --*m_count;
    }

private:
    int *m_count;
};

qsizetype namesIn(const zk::Children &children)
{
    return children.names.size();
}

qsizetype namesIn(const zk::Node &)
{
    return 0;
}

// One look: reads with a watch, shows what is there, returns when it has changed. `Value` is what `read` answers.
template <typename Value, typename Read, typename Show>
async::Task<void> lookOnce(zk::Client &zk, zk::Path path, Pace pace, Read read, Show show)
{
    const async::TimePoint begun = zk.loop().now();
    zk::Watch watch;
    const auto reading = read(watch);
    const Answer<Value> answer = co_await reading;
    if (!answer.ok()) {
        const Answer<zk::Stat> missing = co_await zk.exists(path, watch);
        if (missing.ok())
            co_return; // it has just appeared: read it
    }
    const async::Duration took = zk.loop().now() - begun;
    {
        const Counted counted(pace.armed);
        show(answer);
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
    if (!pace.between)
        co_return;
    const async::TimePoint next = begun + pace.between(took, answer.ok() ? namesIn(*answer) : 0);
    const async::TimePoint now = zk.loop().now();
    if (next > now)
        co_await async::sleepFor(zk.loop(), next - now);
}

template <typename Value, typename Read, typename Show>
async::Task<void> lookForEver(zk::Client &zk, zk::Path path, Pace pace, Read read, Show show)
{
    for (;;) {
        try {
            co_await lookOnce<Value, Read, Show>(zk, path, pace, read, show);
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace

async::Task<void> followChildren(zk::Client &zk, zk::Path path, std::function<void(const zk::Children &)> onChange)
{
    const std::function<void(const Answer<zk::Children> &)> show = [&](const Answer<zk::Children> &answer) {
        onChange(answer.ok() ? *answer : zk::Children());
    };
    co_await followChildren(zk, path, Pace(), show);
}

async::Task<void> followData(zk::Client &zk, zk::Path path, std::function<void(const zk::Node *)> onChange)
{
    const std::function<void(const Answer<zk::Node> &)> show = [&](const Answer<zk::Node> &answer) {
        onChange(answer.ok() ? &*answer : nullptr);
    };
    co_await followData(zk, path, Pace(), show);
}

async::Task<void> followChildren(zk::Client &zk, zk::Path path, Pace pace,
                                 std::function<void(const Answer<zk::Children> &)> show)
{
    const auto read = [&](zk::Watch &watch) { return zk.children(path, watch); };
    co_await lookForEver<zk::Children>(zk, path, pace, read, show);
}

async::Task<void> followData(zk::Client &zk, zk::Path path, Pace pace,
                             std::function<void(const Answer<zk::Node> &)> show)
{
    const auto read = [&](zk::Watch &watch) { return zk.get(path, watch); };
    co_await lookForEver<zk::Node>(zk, path, pace, read, show);
}

} // namespace drover::recipes
