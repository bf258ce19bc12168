#pragma once

#include "async/task_group.h"
#include "zk/coordinator.h"

#include <functional>
#include <set>

namespace drover::app {

// Tells every change below a znode as it happens: one data and one child watch for each node, down to a depth. Changes
// of one node in quick succession are seen as one; a node that came and went between two looks is not seen.
class TreeWatcher
{
public:
    enum class Change { Added, Removed, Changed };
    using Listener = std::function<void(Change, const zk::Path &, const zk::Stat &)>;

    TreeWatcher(zk::Coordinator &zk, int depth, Listener listener)
        : m_zk(zk), m_depth(depth), m_listener(std::move(listener))
    {
    }

    // Watches until destroyed. `started` is called once the present tree is watched to its full depth. Throws
    // SessionLost.
    async::Task<void> watch(zk::Path root, std::function<void(int nodes)> started);

private:
    void add(const zk::Path &path, int depth);
    async::Task<void> watchNode(zk::Path path, int depth, bool initial);

    zk::Coordinator &m_zk;
    int m_depth;
    Listener m_listener;
    std::set<zk::Path> m_nodes; // each has its watchNode()
    int m_unseen = 0; // of the first ones, not yet read
    bool m_started = false;
    async::Event m_settled;
    async::TaskGroup m_tasks;
};

} // namespace drover::app
