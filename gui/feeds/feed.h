#pragma once

#include "async/task_group.h"
#include "gui/feeds/snapshots.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <QObject>

namespace drover::gui {

// A part of the cluster that is followed for as long as somebody looks. Lives on the thread of the session, outlives
// sessions: attach() begins on a new one, detach() ends all work on it and says that nothing is known any more.
// Its signals are the only way out, so that a receiver of another thread gets values through its own event loop.
class Feed : public QObject
{
    Q_OBJECT

public:
    ~Feed() override;

    void attach(zk::Coordinator &zk, const Target &target);
    void detach();

    // Watches that are armed at present.
    virtual int watches() const = 0;

Q_SIGNALS:
    // What the feed cannot read and why, one line.
    void troubled(const QString &trouble);

protected:
    virtual void begin() = 0;
    virtual void end() = 0; // forget, and tell

    bool attached() const { return m_zk != nullptr; }
    zk::Coordinator &zk() const { return *m_zk; }
    const jobs::Layout &layout() const { return *m_layout; }

    // Runs until the session ends or detach(); connection losses are the task's business.
    void spawn(async::Task<void> task);

private:
    zk::Coordinator *m_zk = nullptr;
    std::optional<jobs::Layout> m_layout;
    std::unique_ptr<async::TaskGroup> m_tasks;
};

} // namespace drover::gui
