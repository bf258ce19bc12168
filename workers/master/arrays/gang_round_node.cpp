#include "workers/master/arrays/gang_round_node.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"
#include "workers/master/base/supervise.h"

#include <algorithm>

namespace drover::workers {

using jobs::GangStart;
using recipes::Persistent;
using zk::Answer;

namespace {

constexpr int ClearTries = 10; // a member that leaves meanwhile costs one

// JobNotes::returned
int returnedOf(const zk::Node &job)
{
    const std::optional<jobs::JobSpec> spec = jobs::tryDecode<jobs::JobSpec>(job.data, QByteArray(), 0);
    return spec ? spec->notes.returned : 0;
}

} // namespace

GangRoundNode::GangRoundNode(zk::Client &zk, zk::Path path, std::function<void()> onChange)
    : m_zk(zk), m_path(std::move(path))
{
    const auto note = [this, tell = std::move(onChange)](const Answer<zk::Children> &children) {
        m_listed = true;
        m_gone = !children.ok();
        m_names = m_gone ? QByteArrayList() : children->names;
        tell();
    };
    const QString meanwhile = QStringLiteral("a round of a gang counts as unchanged until it can be listed");
    m_following.spawn(superviseWatch(
        zk, meanwhile, [this, note] { return recipes::followChildren(m_zk, m_path, recipes::Pace(), note); }));
}

async::Task<GangStart> GangRoundNode::start()
{
    if (m_start)
        co_return *m_start;
    const Answer<zk::Node> node = co_await Persistent(m_zk).get(m_path / GangStart::Name);
    const std::optional<GangStart> start = node.ok() ? jobs::tryDecode<GangStart>(node->data) : std::nullopt;
    m_start = start.value_or(GangStart());
    co_return *m_start;
}

// A member that has begun has a place until its end is reported, and the report removes its entry first.
async::Task<std::optional<GangRoundNode::Lost>> GangRoundNode::findLost(std::map<int, zk::Path> unfinished)
{
    const GangStart start = co_await this->start();
    std::erase_if(unfinished, [&](const auto &member) {
        const auto rank = static_cast<std::size_t>(member.first);
        return rank < start.places.size() && has({member.first, start.places[rank].claimZxid});
    });
    std::vector<zk::Path> paths;
    for (const auto &[rank, path] : unfinished)
        paths.push_back(path);
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    std::optional<Lost> lost;
    auto node = nodes.begin();
    for (const auto &[rank, path] : unfinished) {
        const Answer<zk::Node> &job = *node++;
        if (!job.ok())
            continue; // it has just ended
        const auto index = static_cast<std::size_t>(rank);
        const bool givenBack = index < start.places.size() && returnedOf(*job) > start.places[index].member.returned;
        if (!lost || (givenBack && !lost->givenBack))
            lost = Lost{rank, givenBack};
    }
    co_return lost;
}

async::Task<bool> GangRoundNode::hasBegunUnseen()
{
    std::vector<zk::Path> paths;
    for (const auto &[rank, place] : jobs::placesIn(m_names))
        paths.push_back(m_path / place.name());
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    co_return std::any_of(nodes.begin(), nodes.end(),
                          [](const Answer<zk::Node> &node) { return node.ok() && node->stat.version > 0; });
}

async::Task<std::optional<std::chrono::milliseconds>> GangRoundNode::begunAt()
{
    const Answer<zk::Stat> ready = co_await Persistent(m_zk).exists(m_path / GangStart::Name);
    co_return ready.ok() ? std::optional(std::chrono::milliseconds(ready->ctime)) : std::nullopt;
}

async::Task<GangRoundNode::Cleared> GangRoundNode::clear(const recipes::Fence &fence)
{
    for (int tries = 0; tries < ClearTries; ++tries) {
        const Answer<zk::Children> names = co_await Persistent(m_zk).children(m_path);
        if (!names.ok())
            co_return Cleared::Gone;
        if (names->names.isEmpty())
            co_return Cleared::Empty;
        zk::Transaction transaction;
        fence.guard(transaction);
        for (const QByteArray &name : names->names)
            transaction.remove(m_path / name);
        co_await commitAsMaster(m_zk, std::move(transaction)); // refused if one has gone meanwhile
    }
    co_return Cleared::Blocked;
}

} // namespace drover::workers
