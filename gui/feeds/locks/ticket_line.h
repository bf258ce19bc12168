#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "gui/feeds/locks/known_tickets.h"

#include <functional>

namespace drover::gui {

// The line of tickets in one directory: of a lock, of an election, of a limit's permits, or the members of a double
// barrier. A broken connection delays it. It lives on the thread of the session.
class TicketLine
{
public:
    static constexpr qsizetype MostOfAll = 200;

    // Which children are read. Numbered: in the order of their numbers. Members: all but "ready". All: all of them, but
    // no more than MostOfAll.
    enum class Of { Numbered, Members, All };

    struct Place {
        zk::Path directory;
        QByteArray title; // LockRow::lock of its rows
        Of of = Of::Numbered;
    };

    // `onChange` is called when it has read the line once more.
    TicketLine(zk::Client &zk, Place place, std::function<void()> onChange);

    // Goes on in `tasks`, an empty group, and ends what it did before. With `watches` it follows the directory, and
    // counts its watch there. Without, setTickets() says what a listing has shown.
    void restart(std::unique_ptr<async::TaskGroup> tasks, int *watches);
    void setTickets(const QByteArrayList &names);

    bool isFresh() const { return m_isFresh; } // read since restart()
    bool isReady() const { return m_isReady; } // it has a child "ready": a double barrier whose members are inside
    // Of the tickets that are read, in the order of the line; the places are not set.
    QList<LockRow> rows() const { return m_known.rows(); }

private:
    async::Task<void> readTickets();

    zk::Client &m_zk;
    const Place m_place;
    const std::function<void()> m_onChange;
    QByteArrayList m_tickets; // in order
    KnownTickets m_known;
    bool m_isFresh = false;
    bool m_isReady = false;
    async::Event m_dirty;
    std::unique_ptr<async::TaskGroup> m_tasks; // last: the tasks use the members above
};

} // namespace drover::gui
