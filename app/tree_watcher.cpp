#include "app/tree_watcher.h"

#include "recipes/persist.h"

namespace drover::app {

using zk::Answer;

async::Task<void> TreeWatcher::watch(zk::Path root, std::function<void(int)> started)
{
    add(root, 0);
    co_await m_settled.wait();
    m_started = true;
    started(static_cast<int>(m_nodes.size()));
    co_await m_zk.lost();
    throw zk::SessionLost(QStringLiteral("watching %1: the session has ended").arg(root.toString()));
}

void TreeWatcher::add(const zk::Path &path, int depth)
{
    const bool isNew = m_nodes.insert(path).second;
    if (!isNew)
        return;
    if (!m_started)
        ++m_unseen;
    m_tasks.spawn(watchNode(path, depth, !m_started));
}

// Each node tells its own coming and going; its parent only finds it. Ends when the node is gone or the session has
// ended. A node that was deleted and made again is told by its creation, or found once more by its parent.
async::Task<void> TreeWatcher::watchNode(zk::Path path, int depth, bool initial)
{
    std::optional<zk::Stat> last;
    try {
        for (;;) {
            zk::Watch dataWatch;
            zk::Watch childWatch;
            const auto look = [&] { return m_zk.exists(path, dataWatch); };
            const auto list = [&] { return m_zk.children(path, childWatch); };
            const Answer<zk::Stat> stat = co_await recipes::persist(m_zk, look);
            const Answer<zk::Children> children = co_await recipes::persist(m_zk, list);
            const bool present = stat.ok() && children.ok();
            if (last && (!present || last->czxid != stat->czxid))
                m_listener(Change::Removed, path, *last);
            if (present && (last ? last->czxid != stat->czxid : !initial))
                m_listener(Change::Added, path, *stat);
            else if (present && last && last->version != stat->version)
                m_listener(Change::Changed, path, *stat);

            if (present && depth < m_depth) {
                for (const QByteArray &name : children->names)
                    add(path / name, depth + 1);
            }
            if (!last && initial && --m_unseen == 0)
                m_settled.set();
            if (!present)
                break;
            last = *stat;
            const async::Future<zk::WatchEvent> changed = dataWatch.fired();
            const async::Future<zk::WatchEvent> childrenChanged = childWatch.fired();
            co_await async::eitherReady(changed, childrenChanged);
            if (changed.ready())
                co_await changed;
            else
                co_await childrenChanged;
        }
    } catch (const zk::SessionLost &) { // watch() tells
    }
    m_nodes.erase(path);
}

} // namespace drover::app
