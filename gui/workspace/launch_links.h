#pragma once

#include "gui/launch/launch_run.h"
#include "trust/need.h"

#include <QObject>

class QSettings;

namespace drover::gui {

class Gateway;
class LaunchDialog;
class WorkersPage;

// Opens the dialog that launches workers. It outlives a change of the connection: a running launch goes on, for the
// cluster that it began with.
class LaunchLinks final : public QObject
{
    Q_OBJECT

public:
    // A child of the page; the gateway outlives it.
    LaunchLinks(WorkersPage &page, const Gateway &gateway);

    void setPrograms(LaunchPrograms programs) { m_programs = std::move(programs); }
    // For the cluster that is shown. `refusal`: why a program cannot be used with it; empty: it can.
    LaunchProgram program(const QString &refusal) const
    {
        return refusal.isEmpty() ? m_programs(m_target) : LaunchProgram{{}, {}, refusal};
    }
    bool isRunning() const; // a launch is under way
    void end(); // interrupts a running launch; call it before the destructor, and wait for ended()
    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings);
    static trust::Need needOf(const QString &verb);

Q_SIGNALS:
    // Follows end(), perhaps at once and perhaps twice. From then on the destructor does not wait.
    void ended();

public Q_SLOTS:
    void setTarget(const drover::gui::Target &target);

private:
    LaunchPrograms m_programs; // by default there is none
    Target m_target;
    LaunchDialog *m_dialog;
};

} // namespace drover::gui
