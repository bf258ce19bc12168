#include "gui/feeds/worker_feed.h"

#include "gui/feeds/pacing.h"
#include "recipes/line.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

void WorkerFeed::begin()
{
    spawn(followMembers());
    spawn(followMaster());
    spawn(publish());
}

void WorkerFeed::end()
{
    m_following.clear();
    m_members.clear();
    m_candidates.clear();
    m_dirty.reset();
    Q_EMIT changed({});
}

async::Task<void> WorkerFeed::followMembers()
{
    const auto show = [this](const Answer<zk::Children> &answer) { update(answer->names); };
    co_await followPaced(zk(), layout().members(), m_watches, show);
}

void WorkerFeed::update(const QByteArrayList &members)
{
    m_members = members;
    std::sort(m_members.begin(), m_members.end());
    std::erase_if(m_following, [&](const auto &entry) { return !members.contains(entry.first); });
    for (const QByteArray &member : members) {
        const auto [place, added] = m_following.try_emplace(member);
        if (!added)
            continue;
        place->second = std::make_unique<async::TaskGroup>([](const std::exception_ptr &) {});
        place->second->spawn(followMember(member));
    }
    m_dirty.set();
}

// It says when its machine cannot run jobs.
async::Task<void> WorkerFeed::followMember(QByteArray member)
{
    const auto show = [this](const Answer<zk::Node> &) { m_dirty.set(); };
    co_await followDataPaced(zk(), layout().members() / member, m_watches, show);
}

async::Task<void> WorkerFeed::followMaster()
{
    const auto show = [this](const Answer<zk::Children> &answer) {
        m_candidates = recipes::inOrder(answer->names);
        m_dirty.set();
    };
    co_await followPaced(zk(), layout().master(), m_watches, show);
}

async::Task<void> WorkerFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(zk().loop(), 100ms);
        m_dirty.reset();
        try {
            co_await readAll();
        } catch (const zk::ConnectionLoss &) {
            m_dirty.set();
        }
        co_await zk().connected();
    }
}

// All of them each time: a worker that comes back under its name has a new node of the same name.
async::Task<void> WorkerFeed::readAll()
{
    const QByteArrayList members = m_members;
    std::vector<zk::Path> paths;
    if (!m_candidates.isEmpty())
        paths.push_back(layout().master() / m_candidates.front());
    const std::size_t first = paths.size();
    for (const QByteArray &member : members)
        paths.push_back(layout().members() / member);

    QByteArray master;
    QList<WorkerRow> rows;
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        if (!node.ok())
            return;
        if (i < first) {
            master = node->data;
            return;
        }
        WorkerRow row;
        row.id = members[qsizetype(i - first)];
        row.master = row.id == master;
        row.since = node->stat.ctime;
        try {
            row.info = jobs::WorkerInfo::decode(node->data);
        } catch (const jobs::Malformed &error) {
            row.malformed = QString::fromUtf8(error.what());
        }
        rows.append(row);
    };
    co_await readNodes(zk(), paths, got);
    Q_EMIT changed(rows);
}

} // namespace drover::gui
