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

} // namespace

// Of two attempts at a job, or of two clusters of that name, the later one counts, as in the order of the ends.
qsizetype PastWalk::add(const history::Page &page, const JobSearch &search)
{
    qsizetype fitting = 0;
    JobSearch withTasks = search;
    withTasks.tasks = true; // an array that is asked for by its id brings its tasks
    for (const history::ArchivedJob &entry : page.entries) {
        newest = std::max(newest, entry.endedAt);
        const JobRow row = rowOf(entry);
        if (!withTasks.fits(row))
            continue;
        ++fitting;
        const auto known = places.constFind(row.id);
        if (known == places.cend()) {
            places.insert(row.id, rows.size());
            rows.append(row);
        } else if (rows[*known].since < row.since) {
            rows[*known] = row;
        }
    }
    return fitting;
}

void PastWalk::wantMore()
{
    wanted = quiet ? std::max(wanted, walked) + PageRows : std::max(wanted, walked + PageRows);
}

} // namespace drover::gui
