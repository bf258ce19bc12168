#pragma once

#include "gui/feeds/feed.h"

namespace drover::gui {

// Every lock of the cluster and who stands in its line. A watch on locks/ and one on each lock.
class LockFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return m_watches; }

Q_SIGNALS:
    void changed(const QList<drover::gui::LockRow> &rows);

protected:
    void begin() override;
    void end() override;

private:
    struct Line {
        QByteArrayList tickets; // in order
        std::map<QByteArray, LockRow> known; // by ticket; a ticket never changes
        async::Event dirty;
        std::unique_ptr<async::TaskGroup> tasks; // last: they use the rest
    };

    async::Task<void> followLocks();
    async::Task<void> followLine(QByteArray lock, Line *line);
    async::Task<void> readTickets(QByteArray lock, Line *line);
    async::Task<void> readNewTickets(QByteArray lock, Line *line);
    async::Task<void> publish();
    void update(const QByteArrayList &locks);

    int m_watches = 0;
    async::Event m_dirty;
    std::map<QByteArray, Line> m_lines;
};

} // namespace drover::gui
