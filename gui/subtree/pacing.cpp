#include "gui/subtree/pacing.h"

#include "async/pause.h"
#include "recipes/blocks/follow.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

namespace {

constexpr async::PauseAfter ListingPause{.factor = 4, .shortest = 250ms, .longest = 10s};
constexpr async::Duration PauseForAName = 100us;

async::Duration betweenListings(async::Duration took, qsizetype names)
{
    return std::clamp<async::Duration>(names * PauseForAName, ListingPause(took), ListingPause.longest);
}

} // namespace

async::Task<void> followPaced(zk::Client &zk, zk::Path path, int &armed,
                              std::function<void(const Answer<zk::Children> &)> show)
{
    const recipes::Pace pace{betweenListings, &armed};
    co_await recipes::followChildren(zk, path, pace, show);
}

async::Task<void> followDataPaced(zk::Client &zk, zk::Path path, int &armed,
                                  std::function<void(const Answer<zk::Node> &)> show)
{
    const recipes::Pace pace{betweenListings, &armed};
    co_await recipes::followData(zk, path, pace, show);
}

namespace {

// `ask` sends the request for one path.
template <typename Ask, typename Got>
async::Task<void> forEach(std::vector<zk::Path> paths, std::size_t flight, Ask ask, Got got)
{
    for (std::size_t begin = 0; begin < paths.size(); begin += flight) {
        const std::size_t end = std::min(paths.size(), begin + flight);
        std::vector<decltype(ask(paths[begin]))> replies;
        for (std::size_t i = begin; i < end; ++i)
            replies.push_back(ask(paths[i]));
        for (std::size_t i = begin; i < end; ++i) {
            const auto answer = co_await replies[i - begin];
            got(i, answer);
        }
    }
}

} // namespace

async::Task<void> readEach(zk::Client &zk, std::vector<zk::Path> paths,
                           std::function<void(std::size_t, const Answer<zk::Node> &)> got, std::size_t flight)
{
    const auto ask = [&zk](const zk::Path &path) { return zk.get(path); };
    co_await forEach(std::move(paths), flight, ask, std::move(got));
}

async::Task<void> listEach(zk::Client &zk, std::vector<zk::Path> paths,
                           std::function<void(std::size_t, const Answer<zk::Children> &)> got)
{
    const auto ask = [&zk](const zk::Path &path) { return zk.children(path); };
    co_await forEach(std::move(paths), jobs::Flight, ask, std::move(got));
}

} // namespace drover::gui
