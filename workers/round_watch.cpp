#include "workers/round_watch.h"

#include "jobs/read_nodes.h"
#include "recipes/follow.h"
#include "recipes/persist.h"
#include "workers/keep_following.h"

#include <algorithm>

namespace drover::workers {

using jobs::GangStart;
using zk::Answer;

RoundWatch::RoundWatch(zk::Coordinator &zk, zk::Path path, std::function<void()> onChange)
    : m_zk(zk), m_path(std::move(path))
{
    const auto note = [this, tell = std::move(onChange)](const Answer<zk::Children> &children) {
        m_listed = true;
        m_gone = !children.ok();
        m_names = m_gone ? QByteArrayList() : children->names;
        tell();
    };
    const QString meanwhile = QStringLiteral("a round of a gang is taken for what it was until it can be listed");
    m_following.spawn(keepFollowing(
        zk, meanwhile, [this, note] { return recipes::followChildren(m_zk, m_path, recipes::Pace(), note); }));
}

async::Task<GangStart> RoundWatch::start()
{
    if (m_start)
        co_return *m_start;
    const auto read = [&] { return m_zk.get(m_path / GangStart::Name); };
    const Answer<zk::Node> node = co_await recipes::persist(m_zk, read);
    try {
        m_start = node.ok() ? GangStart::decode(node->data) : GangStart();
    } catch (const jobs::Malformed &) {
        m_start = GangStart();
    }
    co_return *m_start;
}

async::Task<bool> RoundWatch::hasBegunUnseen()
{
    std::vector<zk::Path> paths;
    for (const auto &[rank, place] : jobs::placesIn(m_names))
        paths.push_back(m_path / place.name());
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    co_return std::any_of(nodes.begin(), nodes.end(),
                          [](const Answer<zk::Node> &node) { return node.ok() && node->stat.version > 0; });
}

} // namespace drover::workers
