#pragma once

#include "gui/data/snapshots.h"
#include "history/query.h"

#include <QHash>

namespace drover::gui {

// How far the history was read, and what fits the search. It does no I/O.
struct PastWalk {
    static constexpr qsizetype PageRows = 500;

    QList<JobRow> rows;
    QHash<jobs::JobId, qsizetype> places; // in `rows`
    std::chrono::milliseconds newest{}; // when the last of them ended, or the last of all when the walk began
    std::optional<history::Cursor> after;
    qsizetype wanted = PageRows;
    qsizetype walked = 0; // of the rows, known or not; what an index has found does not count
    qint64 searched = 0; // jobs, in whole stretches
    bool begun = false;
    bool shown = false;
    bool atEnd = false;
    bool quiet = false; // takes the place of another, and is shown once it is as long

    // How many of them fit the search, known or not.
    qsizetype add(const history::Page &page, const JobSearch &search);
    // Wants a page more than there is, or, while the walk takes the place of another, than is shown of that one.
    void wantMore();
};

} // namespace drover::gui
