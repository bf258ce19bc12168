#include "gui/feeds/feed.h"

namespace drover::gui {

Feed::~Feed() = default;

void Feed::attach(zk::Client &zk, const Target &target, const std::shared_ptr<const trust::Credentials> &credentials)
{
    m_cluster.emplace(zk, jobs::Layout(target.cluster), credentials);
    m_target = target;
    m_tasks = newGroup();
    begin();
}

std::unique_ptr<async::TaskGroup> Feed::newGroup()
{
    return std::make_unique<async::TaskGroup>([this](const std::exception_ptr &error) {
        try {
            std::rethrow_exception(error);
        } catch (const zk::SessionLost &) {
            // ConsoleSession handles that
        } catch (...) {
            Q_EMIT troubled(async::describe(error));
        }
    });
}

void Feed::detach()
{
    m_tasks.reset();
    m_cluster.reset();
    end();
}

void Feed::setAwake(bool awake)
{
    if (awake == std::exchange(m_awake, awake))
        return;
    if (attached())
        awakeChanged();
    else if (awake)
        Q_EMIT woken(); // the next session is followed from its begin
}

void Feed::spawn(async::Task<void> task)
{
    m_tasks->spawn(std::move(task));
}

} // namespace drover::gui
