#pragma once

#include "gui/data/snapshots.h"
#include "history/query.h"

#include <QHash>

#include <deque>

namespace drover::gui {

// How far the history was read, and what fits the search. It does no I/O.
//
// What was walked past is kept in pieces: a window of MaxPastRows rows at most, and a piece more. A walk that goes on
// drops the first pieces of the window, and remembers between which places they are. So they can be read again, and
// then the last ones are dropped.
struct PastWalk {
    static constexpr qsizetype PageRows = 500;

    static constexpr std::size_t EarlierPieces = 2; // that are shown at a time, when they are read again

    // What fits of the history between a place and that of the next piece.
    struct Piece {
        std::optional<history::Cursor> after; // nothing: it begins with the history
        QList<JobRow> rows; // of a piece that was dropped: none
        qsizetype count = 0; // of its rows, kept or not
    };

    std::deque<Piece> window;
    std::vector<Piece> dropped; // before the window; the first of the history first
    std::chrono::milliseconds newest{}; // when the last of them ended, or the last of all when the walk began
    std::optional<history::Cursor> after; // the place behind the window
    qsizetype wanted = PageRows;
    qsizetype walked = 0; // of the rows, also of those before the window; what an index has found does not count
    qint64 searched = 0; // jobs, in whole stretches
    bool begun = false;
    bool shown = false;
    bool atEnd = false;
    bool quiet = false; // takes the place of another, and is shown once it is as long
    bool wantsEarlier = false; // the piece before the window is to be read again

    // All rows of the window, in their order, and what an index has found or was archived since.
    QList<JobRow> rows() const;
    qsizetype windowRows() const;
    qsizetype droppedRows() const;
    // The first and the last row of the window. Without a queue: it has none.
    jobs::JobId firstId() const;
    jobs::JobId lastId() const;
    std::optional<history::Cursor> front() const { return window.empty() ? after : window.front().after; }

    // Keeps what no walk has come to, or not yet.
    void addOther(const history::Page &page, const JobSearch &search);
    qsizetype others() const { return m_others.size(); }
    // What follows the window, up to that place; nothing: to the end of the history.
    void addNext(const history::Page &page, const JobSearch &search, const std::optional<history::Cursor> &end);
    // What was read again of the last piece that was dropped, and stands there now: the last of them are shown.
    void addEarlier(std::vector<Piece> pieces);
    // That page, which begins at that place.
    Piece pieceOf(const history::Page &page, const JobSearch &search, const std::optional<history::Cursor> &begin);
    // Adds rows that were shown before.
    void keep(const QList<JobRow> &rows);
    // Wants a page more than there is, or, while the walk takes the place of another, than is shown of that one.
    void wantMore();
    // One that has read nothing yet, and begins where the window of this one does.
    PastWalk again() const;

private:
    QList<JobRow> fittingOf(const history::Page &page, const JobSearch &search);

    QHash<jobs::JobId, JobRow> m_others;
};

} // namespace drover::gui
