#pragma once

#include "gui/data/ensemble_snapshot.h"
#include "gui/data/event_row.h"
#include "gui/data/snapshots.h"
#include "gui/feeds/feed.h"
#include "jobs/events/event_feed.h"

#include <map>

namespace drover::gui {

// What happens in the cluster: the events of `drover events`, and what the feeds of locks and servers see change. It
// follows nothing before follow() is called. A new session tells by an event of its own that some may be missing.
class EventsFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return m_feed ? m_feed->watches() : 0; }
    void clear() override;

public Q_SLOTS:
    void follow(); // from now on, in each session
    void showLocks(const QList<drover::gui::LockRow> &rows);
    void showEnsemble(const drover::gui::EnsembleSnapshot &ensemble);

Q_SIGNALS:
    void happened(const QList<drover::gui::EventRow> &events); // in their order
    void forgotten();

protected:
    void begin() override;
    void end() override;

private:
    void beginToFollow();
    async::Task<void> run();
    async::Task<void> settle();
    async::Task<void> publish();
    void tell(EventRow row);
    void compareLocks(const QList<LockRow> &rows);
    qint64 now() const;

    bool m_wanted = false;
    bool m_hasFollowed = false; // in an earlier session of this cluster
    std::optional<jobs::EventFeed> m_feed;
    bool m_isSettled = false; // the locks that were there before are known
    std::map<QByteArray, LockRow> m_locks; // contenders, by lock and ticket
    qint64 m_newestLock = 0; // since when the latest of them contends
    std::map<QString, zk::ServerReport::Role> m_roles; // of the servers
    QList<EventRow> m_waiting; // not sent yet
    async::Event m_dirty;
};

} // namespace drover::gui
