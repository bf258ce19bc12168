#include "gui/window/saved_tabs.h"

#include <QSettings>

namespace drover::gui {

QList<SavedTab> tabsIn(QSettings &settings)
{
    QList<SavedTab> tabs;
    const int count = settings.beginReadArray(QStringLiteral("tabs"));
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        const Target target{settings.value(QStringLiteral("servers")).toString(),
                            settings.value(QStringLiteral("cluster")).toByteArray()};
        if (!target.connect.isEmpty())
            tabs.append(SavedTab{target, settings.value(QStringLiteral("page")).toString(),
                                 settings.value(QStringLiteral("shown")).toBool(),
                                 settings.value(QStringLiteral("windows")).toMap()});
    }
    settings.endArray();
    const QString former = settings.value(QStringLiteral("target/servers")).toString(); // of a version without tabs
    if (tabs.isEmpty() && !former.isEmpty())
        tabs.append(
            SavedTab{{former, settings.value(QStringLiteral("target/cluster"), Target().cluster).toByteArray()}, {}});
    return tabs;
}

void saveTabs(QSettings &settings, const QList<SavedTab> &tabs)
{
    settings.remove(QStringLiteral("tabs"));
    settings.beginWriteArray(QStringLiteral("tabs"));
    for (int i = 0; i < tabs.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("servers"), tabs[i].target.connect);
        settings.setValue(QStringLiteral("cluster"), tabs[i].target.cluster);
        settings.setValue(QStringLiteral("page"), tabs[i].page);
        settings.setValue(QStringLiteral("shown"), tabs[i].isShown);
        settings.setValue(QStringLiteral("windows"), tabs[i].windows);
    }
    settings.endArray();
}

} // namespace drover::gui
