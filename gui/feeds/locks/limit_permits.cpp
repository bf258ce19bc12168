#include "gui/feeds/locks/limit_permits.h"

#include "gui/subtree/pacing.h"
#include "recipes/values/counter.h"

namespace drover::gui {

LimitPermits::LimitPermits(zk::Client &zk, zk::Path node, std::function<void()> onChange)
    : m_zk(zk), m_node(std::move(node)), m_onChange(std::move(onChange))
{
}

void LimitPermits::restart(std::unique_ptr<async::TaskGroup> tasks, int *watches)
{
    m_isFresh = false;
    m_tasks = std::move(tasks);
    if (m_tasks)
        m_tasks->spawn(
            followDataPaced(m_zk, m_node, *watches, [this](const zk::Answer<zk::Node> &node) { set(node); }));
}

void LimitPermits::set(const zk::Answer<zk::Node> &node)
{
    m_isSet = node.ok();
    m_count = node.ok() ? recipes::SharedCount::decode(node->data).value_or(1) : 1;
    m_isFresh = true;
    m_onChange();
}

} // namespace drover::gui
