#pragma once

#include "gui/feeds_fixture.h"
#include "gui/inspector/inspector.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/theme.h"
#include "gui/window/main_window.h"

#include <QAction>
#include <QLabel>

namespace drover::test {

// The window on a cluster in memory.
struct WindowFixture : FeedsFixture {
    gui::MainWindow window{models, console};

    explicit WindowFixture(bool editing = true)
    {
        gui::applyTheme(gui::ThemeChoice::Light);
        run(cluster.fill());
        window.resize(1400, 900);
        window.show();
        window.connectTo({Nowhere, "default"});
        world.runFor(std::chrono::seconds(3));
        window.findChild<QAction *>(QStringLiteral("connection.edit"))->setChecked(editing);
    }

    // In a label that is shown, or is on a page that is not.
    bool says(const QString &text) const
    {
        QCoreApplication::processEvents(); // lines of a form are shown by an event
        const QList<QLabel *> labels = window.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return !label->isHidden() && label->text().contains(text); });
    }
    gui::Inspector *openDetails(const jobs::JobId &id)
    {
        window.showPage(QStringLiteral("jobs"));
        Q_EMIT window.findChild<gui::JobPane *>()->detailsWanted(id);
        world.runFor(std::chrono::seconds(1));
        return window.findChild<gui::Inspector *>();
    }
};

} // namespace drover::test
