#pragma once

#include "gui/feeds/feed.h"

#include <map>

namespace drover::gui {

// Follows the members of the cluster, the record that each keeps about itself, and which of them is the master. It
// needs two watches and one for each member.
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
    struct Member {
        bool known = false;
        std::optional<zk::Node> node; // empty if it has gone
        std::unique_ptr<async::TaskGroup> following;
    };

    async::Task<void> followMember(QByteArray name, Member *member);
    async::Task<void> publish();
    void update(const QByteArrayList &members);
    async::Task<QByteArray> readMaster();
    QList<WorkerRow> rows(const QByteArray &master) const;

    int m_watches = 0;
    async::Event m_dirty;
    QByteArrayList m_candidates; // for master, in order
    std::map<QByteArray, Member> m_members;
};

} // namespace drover::gui
