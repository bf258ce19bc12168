#include "gui/feeds/feed.h"

namespace drover::gui {

Feed::~Feed() = default;

void Feed::attach(zk::Coordinator &zk, const Target &target)
{
    m_zk = &zk;
    m_layout.emplace(target.cluster);
    m_tasks = std::make_unique<async::TaskGroup>([this](const std::exception_ptr &error) {
        try {
            std::rethrow_exception(error);
        } catch (const zk::SessionLost &) {
            // whoever attached us knows
        } catch (...) {
            Q_EMIT troubled(async::describe(error));
        }
    });
    begin();
}

void Feed::detach()
{
    m_tasks.reset();
    m_layout.reset();
    m_zk = nullptr;
    end();
}

void Feed::spawn(async::Task<void> task)
{
    m_tasks->spawn(std::move(task));
}

} // namespace drover::gui
