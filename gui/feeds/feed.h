#pragma once

#include "async/task_group.h"
#include "gui/data/snapshots.h"
#include "jobs/model/cluster.h"

#include <QObject>

namespace drover::gui {

// Follows one part of the cluster while a view shows it. A feed lives on the thread of the session and outlives
// sessions. attach() starts on a new session. detach() ends all work on it; what was reported stays shown, as the last
// that is known, until clear() reports an empty state. A feed reports
// by signals only, so a receiver on another thread gets values through its own event loop.
class Feed : public QObject
{
    Q_OBJECT

public:
    ~Feed() override;

    // `credentials` sign what is submitted; null: the cluster is open.
    void attach(zk::Client &zk, const Target &target,
                const std::shared_ptr<const trust::Credentials> &credentials = nullptr);
    void detach();
    virtual void clear() { }

    // The number of watches that are armed.
    virtual int watches() const = 0;
    bool isAwake() const { return m_awake; }

public Q_SLOTS:
    // A feed that no page needs sleeps: it gives most of its watches back, and looks every BetweenLooks instead.
    void setAwake(bool awake);

Q_SIGNALS:
    // After it was woken: what it has reported is of now again.
    void woken();
    // One line: what the feed cannot read, and why.
    void troubled(const QString &trouble);

protected:
    static constexpr async::Duration BetweenLooks = std::chrono::seconds(30);

    virtual void begin() = 0;
    virtual void awakeChanged() { } // while it is attached
    virtual void end() = 0; // forgets all

    bool attached() const { return m_cluster.has_value(); }
    const jobs::Cluster &cluster() const { return *m_cluster; }
    const Target &target() const { return m_target; }

    // For a part of the feed that ends by itself: what fails in it is reported, but for the end of the session.
    std::unique_ptr<async::TaskGroup> newGroup();
    // Runs the task until the session ends or detach() is called. The task itself handles connection losses.
    void spawn(async::Task<void> task);

private:
    std::optional<jobs::Cluster> m_cluster;
    Target m_target;
    bool m_awake = true;
    std::unique_ptr<async::TaskGroup> m_tasks;
};

} // namespace drover::gui
