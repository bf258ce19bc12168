#pragma once

#include "gui/models/job_grouping.h"

#include <QMap>

namespace drover::gui {

// What the table of jobs shows: its filter, its order, its groups, and the columns that the user has chosen. A column
// is one of JobModel's.
struct ShownJobs {
    JobSearch search{};
    int column = 0; // the table is sorted by it
    Qt::SortOrder order = Qt::AscendingOrder;
    Grouping grouping = Grouping::None;
    QMap<int, bool> columns{}; // shown or hidden by the user; all others are as the width allows

    friend bool operator==(const ShownJobs &, const ShownJobs &) = default;
};

// A view as it is stored, which is JSON with names that last. What `before` has beside it stays: another version of the
// console has written that.
QByteArray storedView(const ShownJobs &shown, const QByteArray &before = {});

struct ReadView {
    ShownJobs shown{};
    // What this version does not understand of the filter, as the view names it, and so cannot show; empty: nothing.
    // Other things that it does not know are left out.
    QString unknown{};
};

ReadView readView(const QByteArray &stored);

} // namespace drover::gui
