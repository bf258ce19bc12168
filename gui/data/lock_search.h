#pragma once

#include "gui/data/snapshots.h"

#include <optional>

namespace drover::gui {

// How far the search for locks outside the cluster's own directories is, and what it has found.
struct LockSearchReport {
    std::optional<QList<LockRow>> rows{}; // `lock` is the path of the directory; none: they are as reported before
    qint64 visited = 0; // znodes
    qint64 locks = 0;
    qint64 unreadable = 0; // directories, for lack of permission
    bool running = false; // the tree is searched; later the locks that were found are looked at again and again
    QString end{}; // why the search ended before it was complete; or empty
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::LockSearchReport)
