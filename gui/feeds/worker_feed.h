#pragma once

#include "gui/feeds/feed.h"

#include <map>

namespace drover::gui {

// Follows the members of the cluster, the record that each keeps about itself, the cordons, and which member is the
// master. It needs three watches and one for each member; while it sleeps, these three.
class WorkerFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return m_watches; }
    void clear() override;

Q_SIGNALS:
    void changed(const QList<drover::gui::WorkerRow> &rows);

protected:
    void begin() override;
    void awakeChanged() override;
    void end() override;

private:
    async::Task<void> followMembers();
    async::Task<void> followMaster();
    async::Task<void> followCordons();
    struct Member {
        bool known = false;
        bool isFresh = false; // read since the feed was woken
        std::optional<zk::Node> node; // empty if it has gone
        std::unique_ptr<async::TaskGroup> following;
    };

    void follow(const QByteArray &name, Member *member);
    bool isFresh() const;
    static void note(Member &member, const zk::Answer<zk::Node> &answer);
    async::Task<void> followMember(QByteArray name, Member *member);
    async::Task<void> lookNowAndThen();
    async::Task<void> look(QByteArrayList members);
    async::Task<void> publish();
    void update(const QByteArrayList &members);
    async::Task<std::optional<zk::Node>> readMaster();
    async::Task<void> readCordons();
    QList<WorkerRow> rows(const std::optional<zk::Node> &master) const;

    int m_watches = 0;
    bool m_waking = false;
    async::Event m_dirty;
    QByteArrayList m_candidates; // for master, in order
    QByteArrayList m_cordoned; // worker ids
    QHash<QByteArray, QString> m_cordons; // who cordoned it and why, by worker
    std::map<QByteArray, Member> m_members;
};

} // namespace drover::gui
