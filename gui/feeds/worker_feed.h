#pragma once

#include "gui/feeds/feed.h"

namespace drover::gui {

// The members of the cluster and which of them is the master. Two watches.
class WorkerFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return m_watches; }

Q_SIGNALS:
    void changed(const QList<drover::gui::WorkerRow> &rows);

protected:
    void begin() override;
    void end() override;

private:
    async::Task<void> followMembers();
    async::Task<void> followMaster();
    async::Task<void> publish();
    async::Task<void> readAll();

    int m_watches = 0;
    async::Event m_dirty;
    QByteArrayList m_members;
    QByteArrayList m_candidates; // for master, in order
};

} // namespace drover::gui
