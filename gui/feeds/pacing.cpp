#include "gui/feeds/pacing.h"

#include "jobs/read_nodes.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

namespace {

class Counted
{
public:
    explicit Counted(int &count) : m_count(count) { ++m_count; }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    ~Counted() { --m_count; }

private:
    int &m_count;
};

qsizetype weightOf(const zk::Children &children)
{
    return children.names.size();
}

qsizetype weightOf(const zk::Node &)
{
    return 0;
}

// Reads with a watch, shows, returns when it has changed and enough time has passed.
template <typename Value, typename Read, typename Show>
async::Task<void> lookOnce(zk::Coordinator &zk, zk::Path path, int &armed, Read read, Show show)
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
        const Counted counted(armed);
        show(answer);
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
    const async::TimePoint next = begun + pauseAfter(took, answer.ok() ? weightOf(*answer) : 0);
    const async::TimePoint now = zk.loop().now();
    if (next > now)
        co_await async::sleepFor(zk.loop(), next - now);
}

template <typename Value, typename Read, typename Show>
async::Task<void> lookForEver(zk::Coordinator &zk, zk::Path path, int &armed, Read read, Show show)
{
    for (;;) {
        try {
            co_await lookOnce<Value, Read, Show>(zk, path, armed, read, show);
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace

async::Duration pauseAfter(async::Duration took, qsizetype names)
{
    return std::max<async::Duration>({250ms, 4 * took, names * 100us});
}

async::Task<void> followPaced(zk::Coordinator &zk, zk::Path path, int &armed,
                              std::function<void(const Answer<zk::Children> &)> show)
{
    const auto read = [&](zk::Watch &watch) { return zk.children(path, watch); };
    co_await lookForEver<zk::Children>(zk, path, armed, read, show);
}

async::Task<void> followDataPaced(zk::Coordinator &zk, zk::Path path, int &armed,
                                  std::function<void(const Answer<zk::Node> &)> show)
{
    const auto read = [&](zk::Watch &watch) { return zk.get(path, watch); };
    co_await lookForEver<zk::Node>(zk, path, armed, read, show);
}

async::Task<void> readNodes(zk::Coordinator &zk, std::vector<zk::Path> paths,
                            std::function<void(std::size_t, const Answer<zk::Node> &)> got)
{
    using jobs::Flight;
    for (std::size_t begin = 0; begin < paths.size(); begin += Flight) {
        const std::size_t end = std::min(paths.size(), begin + Flight);
        std::vector<zk::Reply<zk::Node>> replies;
        for (std::size_t i = begin; i < end; ++i)
            replies.push_back(zk.get(paths[i]));
        for (std::size_t i = begin; i < end; ++i) {
            const Answer<zk::Node> node = co_await replies[i - begin];
            got(i, node);
        }
    }
}

} // namespace drover::gui
