#pragma once

#include "gui/launch/launch_run.h"
#include "trust/need.h"

#include <QObject>

class QSettings;

namespace drover::gui {

class Gateway;
class LaunchDialog;
class WorkersPage;

// Opens the dialog that launches workers. It outlives a change of the connection: what runs goes on for its cluster.
class LaunchLinks final : public QObject
{
    Q_OBJECT

public:
    // A child of the page; the gateway outlives it.
    LaunchLinks(WorkersPage &page, const Gateway &gateway);

    void setPrograms(LaunchPrograms programs) { m_programs = std::move(programs); }
    bool isRunning() const; // a launch is under way
    void end(); // before it is destroyed: what runs is interrupted
    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings);
    static trust::Need needOf(const QString &verb);

Q_SIGNALS:
    void ended(); // after end(), perhaps at once, perhaps twice: the destructor does not wait any more

public Q_SLOTS:
    void setTarget(const drover::gui::Target &target);

private:
    LaunchPrograms m_programs; // by default that of PATH
    LaunchDialog *m_dialog;
};

} // namespace drover::gui
