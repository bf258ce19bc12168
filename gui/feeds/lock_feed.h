#pragma once

#include "gui/feeds/feed.h"
#include "gui/feeds/locks/limit_permits.h"
#include "gui/feeds/locks/lock_walk.h"
#include "gui/feeds/locks/ticket_line.h"

namespace drover::gui {

// Follows the locks of the cluster, the first MaxLocks of them, and their contenders, with a watch on locks/ and one on
// each lock. It follows limits, elections and double barriers as well, the first MaxOthers of each. A limit takes three
// watches, and all closed barriers take one. While it sleeps it has the watches on four directories alone. Locks
// elsewhere in the tree are found by search(), without watches.
class LockFeed final : public Feed
{
    Q_OBJECT

public:
    static constexpr qsizetype MaxLocks = 1000; // that are followed, so that other feeds keep watches to set
    static constexpr qsizetype MaxOthers = 200;

    int watches() const override { return m_watches; }
    void clear() override;

public Q_SLOTS:
    // Reads once more which of these contenders are there. Without a session the answer is: none.
    void confirm(const QList<drover::gui::LockRow> &contenders);
    // Finds the locks in the whole tree, but for those that it follows. Then it looks at them every few seconds while
    // the feed is awake.
    void search();
    // It searches no further.
    void stopSearch();

Q_SIGNALS:
    void confirmed(const QList<drover::gui::LockRow> &asked, const QList<drover::gui::LockRow> &present);
    void changed(const QList<drover::gui::LockRow> &rows);
    // Of limits, elections and barriers; their `lock` has a word before the name (data/line_name.h). A closed
    // barrier has no contender: a program that waits there has no znode.
    void othersChanged(const QList<drover::gui::LockRow> &rows);
    void searched(const drover::gui::LockSearchReport &report);

protected:
    void begin() override;
    void awakeChanged() override;
    void end() override;

private:
    enum class Kind { Lock, Election, Admission, Leases, DoubleBarrier, Barriers }; // a limit has Admission and Leases
    using Key = std::pair<Kind, QByteArray>;

    void restart(TicketLine &line);
    void restart(LimitPermits &permits);
    bool isFresh() const;
    async::Task<void> lookNowAndThen();
    async::Task<void> look(std::vector<Key> keys);
    async::Task<void> lookAtPermits(QByteArrayList limits);
    async::Task<void> publish();
    bool isFollowed(const zk::Path &path) const;
    async::Task<void> confirmTask(QList<LockRow> contenders);
    void update(Kind kind, const QByteArrayList &names);
    void updateLocks(const QByteArrayList &locks);
    void updateLimits(const QByteArrayList &limits);
    TicketLine::Place placeOf(const Key &key) const;
    QList<LockRow> rowsOf(Kind kind) const;
    QList<LockRow> rowsOfLimits() const;

    std::vector<QList<LockRow>> m_confirming; // an answer is due
    int m_watches = 0;
    bool m_waking = false;
    qsizetype m_left = 0; // locks that are not followed
    async::Event m_dirty;
    std::map<Key, TicketLine> m_lines;
    std::map<QByteArray, LimitPermits> m_permits; // by limit
    std::unique_ptr<LockWalk> m_walk; // null: nothing was searched in this session
    std::unique_ptr<async::TaskGroup> m_walking; // last: it uses m_walk
};

} // namespace drover::gui
