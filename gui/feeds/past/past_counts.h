#pragma once

#include "gui/feeds/past/past_search.h"
#include "history/history.h"

#include <QSet>

namespace drover::gui {

// How many jobs a history has at one moment.
struct PastCounts {
    qint64 jobs = 0; // of the search, whatever its filter
    qint64 failedLately = 0; // jobs, not tasks, that failed within FailedFor
    QSet<jobs::JobId> archived; // of the jobs that were asked for: those that the history has already

    friend bool operator==(const PastCounts &, const PastCounts &) = default;
};

// `inDone` are jobs that are not out of ZooKeeper yet. A history of a million jobs takes a second or so. Throws
// history::HistoryError.
async::Task<PastCounts> countPast(history::History &history, QByteArray cluster, PastSearch search,
                                  QList<jobs::JobId> inDone, std::chrono::milliseconds now);

} // namespace drover::gui
