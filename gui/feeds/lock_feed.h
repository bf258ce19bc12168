#pragma once

#include "gui/feeds/feed.h"

namespace drover::gui {

// Follows the locks of the cluster, the first MaxLocks of them, and their contenders, with a watch on locks/ and one on
// each lock. While it sleeps it has the first of these watches alone.
class LockFeed final : public Feed
{
    Q_OBJECT

public:
    static constexpr qsizetype MaxLocks = 1000; // that are followed, so that other feeds keep watches to set

    int watches() const override { return m_watches; }
    void clear() override;

Q_SIGNALS:
    void changed(const QList<drover::gui::LockRow> &rows);

protected:
    void begin() override;
    void awakeChanged() override;
    void end() override;

private:
    struct Line {
        QByteArrayList tickets; // in order
        std::map<QByteArray, LockRow> known; // by ticket; a ticket never changes
        bool isFresh = false; // read since the feed was woken
        async::Event dirty;
        std::unique_ptr<async::TaskGroup> tasks; // last: the tasks use the members above
    };

    void follow(const QByteArray &lock, Line *line);
    bool isFresh() const;
    async::Task<void> followLocks();
    async::Task<void> lookNowAndThen();
    async::Task<void> look(QByteArrayList locks);
    async::Task<void> followLine(QByteArray lock, Line *line);
    async::Task<void> readTickets(QByteArray lock, Line *line);
    async::Task<void> readNewTickets(QByteArray lock, Line *line);
    async::Task<void> publish();
    void update(QByteArrayList locks);

    int m_watches = 0;
    bool m_waking = false;
    qsizetype m_left = 0; // locks that are not followed
    async::Event m_dirty;
    std::map<QByteArray, Line> m_lines;
};

} // namespace drover::gui
