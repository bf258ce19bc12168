#pragma once

#include "gui/data/snapshots.h"

#include <QVariantMap>

class QSettings;

namespace drover::gui {

// A tab of the window as the settings have it, so that it comes back at the next start.
struct SavedTab {
    Target target; // with servers
    QString page;
    bool isShown = false;
    QVariantMap windows{}; // as Workspace has them
};

QList<SavedTab> tabsIn(QSettings &settings);
void saveTabs(QSettings &settings, const QList<SavedTab> &tabs);

} // namespace drover::gui
