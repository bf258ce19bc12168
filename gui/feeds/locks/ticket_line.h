#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "gui/feeds/locks/known_tickets.h"

#include <functional>

namespace drover::gui {

// The line of tickets in one directory: of a lock, of an election, or of a limit's permits. A broken
// connection delays it. It lives on the thread of the session.
class TicketLine
{
public:
    // `title` is LockRow::lock of its rows. `onChange` is called when it has read the line once more.
    TicketLine(zk::Client &zk, zk::Path directory, QByteArray title, std::function<void()> onChange);

    // Goes on in `tasks`, an empty group, and ends what it did before. With `watches` it follows the directory, and
    // counts its watch there. Without, setTickets() says what a listing has shown.
    void restart(std::unique_ptr<async::TaskGroup> tasks, int *watches);
    void setTickets(const QByteArrayList &names);

    bool isFresh() const { return m_isFresh; } // read since restart()
    // Of the tickets that are read, in the order of the line; the places are not set.
    QList<LockRow> rows() const { return m_known.rows(); }

private:
    async::Task<void> readTickets();

    zk::Client &m_zk;
    const zk::Path m_directory;
    const QByteArray m_title;
    const std::function<void()> m_onChange;
    QByteArrayList m_tickets; // in order
    KnownTickets m_known;
    bool m_isFresh = false;
    async::Event m_dirty;
    std::unique_ptr<async::TaskGroup> m_tasks; // last: the tasks use the members above
};

} // namespace drover::gui
