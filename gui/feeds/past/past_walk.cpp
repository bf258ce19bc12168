#include "gui/feeds/past/past_walk.h"

#include "gui/rows/job_rows.h"

#include <algorithm>

namespace drover::gui {

namespace {

JobRow rowOf(const history::ArchivedJob &entry)
{
    JobRow row = endedRow(entry.record, entry.endedAt.count());
    if (!entry.malformed.isEmpty())
        row.note = entry.malformed;
    return row;
}

bool hasRows(const PastWalk::Piece &piece)
{
    return !piece.rows.isEmpty();
}

template <typename Pieces>
qsizetype rowsOf(const Pieces &pieces)
{
    qsizetype count = 0;
    for (const PastWalk::Piece &piece : pieces)
        count += piece.count;
    return count;
}

} // namespace

QList<JobRow> PastWalk::fittingOf(const history::Page &page, const JobSearch &search)
{
    QList<JobRow> fitting;
    JobSearch withTasks = search;
    withTasks.tasks = true; // an array that is asked for by its id brings its tasks
    for (const history::ArchivedJob &entry : page.entries) {
        newest = std::max(newest, entry.endedAt);
        const JobRow row = rowOf(entry);
        if (withTasks.fits(row))
            fitting.append(row);
    }
    return fitting;
}

// Of two attempts at a job, or of two clusters of that name, the later one counts, as in the order of the ends.
QList<JobRow> PastWalk::rows() const
{
    QList<JobRow> rows;
    QHash<jobs::JobId, qsizetype> places;
    const auto add = [&](const JobRow &row) {
        const auto known = places.constFind(row.id);
        if (known == places.cend()) {
            places.insert(row.id, rows.size());
            rows.append(row);
        } else if (rows[*known].since < row.since) {
            rows[*known] = row;
        }
    };
    for (const Piece &piece : window)
        std::for_each(piece.rows.begin(), piece.rows.end(), add);
    std::for_each(m_others.begin(), m_others.end(), add);
    return rows;
}

jobs::JobId PastWalk::firstId() const
{
    const auto piece = std::find_if(window.begin(), window.end(), hasRows);
    return piece == window.end() ? jobs::JobId() : piece->rows.front().id;
}

jobs::JobId PastWalk::lastId() const
{
    const auto piece = std::find_if(window.rbegin(), window.rend(), hasRows);
    return piece == window.rend() ? jobs::JobId() : piece->rows.back().id;
}

qsizetype PastWalk::windowRows() const
{
    return rowsOf(window);
}

qsizetype PastWalk::droppedRows() const
{
    return rowsOf(dropped);
}

void PastWalk::addOther(const history::Page &page, const JobSearch &search)
{
    const QList<JobRow> fitting = fittingOf(page, search);
    for (const JobRow &row : fitting) {
        JobRow &known = m_others[row.id];
        if (known.since < row.since)
            known = row;
    }
}

void PastWalk::addNext(const history::Page &page, const JobSearch &search, const std::optional<history::Cursor> &end)
{
    window.push_back(pieceOf(page, search, after));
    walked += window.back().count;
    after = end;
    atEnd = !end;
    while (windowRows() > MaxPastRows) {
        dropped.push_back({window.front().after, {}, window.front().count});
        window.pop_front();
    }
}

PastWalk::Piece PastWalk::pieceOf(const history::Page &page, const JobSearch &search,
                                  const std::optional<history::Cursor> &begin)
{
    const QList<JobRow> fitting = fittingOf(page, search);
    return {begin, fitting, fitting.size()};
}

void PastWalk::addEarlier(std::vector<Piece> pieces)
{
    walked += rowsOf(pieces) - dropped.back().count;
    dropped.pop_back();
    const std::size_t shownFrom = pieces.size() - std::min(pieces.size(), EarlierPieces);
    for (std::size_t i = 0; i < shownFrom; ++i)
        dropped.push_back({pieces[i].after, {}, pieces[i].count});
    window.insert(window.begin(), pieces.begin() + std::ptrdiff_t(shownFrom), pieces.end());
    while (windowRows() > MaxPastRows) {
        after = window.back().after;
        atEnd = false;
        walked -= window.back().count;
        window.pop_back();
    }
    wanted = walked;
}

void PastWalk::keep(const QList<JobRow> &rows)
{
    for (const JobRow &row : rows)
        m_others.insert(row.id, row);
}

void PastWalk::wantMore()
{
    wanted = quiet ? std::max(wanted, walked) + PageRows : std::max(wanted, walked + PageRows);
}

PastWalk PastWalk::again() const
{
    PastWalk walk;
    walk.dropped = dropped;
    walk.after = front();
    walk.walked = droppedRows();
    walk.wanted = std::max(wanted, walk.walked + PageRows);
    walk.quiet = true;
    return walk;
}

} // namespace drover::gui
