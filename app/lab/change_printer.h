#pragma once

#include "app/cli/output.h"
#include "async/post_guard.h"
#include "async/task_group.h"
#include "recipes/blocks/tree_watch.h"

namespace drover::app {

// Prints the first changes below a znode, with the time since the first one. After `most` changes it stops watching, so
// that it no longer affects the measurement.
class ChangePrinter
{
public:
    // With `most` 0 it does nothing. `zk` must be a separate session; otherwise its wake-ups are counted with the
    // others.
    ChangePrinter(const Output &out, zk::Client &zk, zk::Path root, qint64 most);

    void stop();

private:
    void print(const recipes::TreeWatch::Change &change);

    const Output &m_out;
    async::Loop &m_loop;
    zk::Path m_root;
    qint64 m_left;
    async::TimePoint m_begin{};
    async::PostGuard m_guard;
    recipes::TreeWatch m_watch;
    async::TaskGroup m_tasks;
};

} // namespace drover::app
