#pragma once

#include "app/output.h"
#include "async/task_group.h"
#include "recipes/tree_watch.h"

namespace drover::app {

// Prints the changes below a znode with the time since the first, up to a number; then it stops watching, so that it
// costs what is measured nothing more.
class ChangePrinter
{
public:
    // `most` 0: does nothing. `zk` is a session of its own, or its wake-ups are counted among those of others.
    ChangePrinter(const Output &out, zk::Coordinator &zk, zk::Path root, qint64 most);

    void stop();

private:
    void print(const recipes::TreeWatch::Change &change);

    const Output &m_out;
    async::Loop &m_loop;
    zk::Path m_root;
    qint64 m_left;
    async::TimePoint m_begin{};
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // what is posted asks whether we are
    recipes::TreeWatch m_watch;
    async::TaskGroup m_tasks;
};

} // namespace drover::app
