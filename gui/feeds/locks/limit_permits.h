#pragma once

#include "async/task_group.h"
#include "zk/client.h"

#include <functional>

namespace drover::gui {

// How many permits a limit has: 1 unless its node says otherwise. It lives on the thread of the session.
class LimitPermits
{
public:
    // `onChange` is called when it has read the node once more.
    LimitPermits(zk::Client &zk, zk::Path node, std::function<void()> onChange);

    // Follows the node in `tasks`, an empty group, and counts its watch in `watches`. Null: it follows no longer.
    void restart(std::unique_ptr<async::TaskGroup> tasks, int *watches);
    // What a read without a watch has shown.
    void set(const zk::Answer<zk::Node> &node);

    bool isFresh() const { return m_isFresh; } // read since restart()
    bool isSet() const { return m_isSet; } // its node is there
    int count() const { return m_count; }

private:
    zk::Client &m_zk;
    const zk::Path m_node;
    const std::function<void()> m_onChange;
    int m_count = 1;
    bool m_isSet = false;
    bool m_isFresh = false;
    std::unique_ptr<async::TaskGroup> m_tasks; // last: the task uses the members above
};

} // namespace drover::gui
