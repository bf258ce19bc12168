#pragma once

#include "gui/doctor/doctor_run.h"

#include <QPointer>

namespace drover::gui {

class FindingsDialog;
class OverviewPage;

// Lets `drover doctor` look at the cluster for the overview, which shows what it has found.
class DoctorLinks final : public QObject
{
    Q_OBJECT

public:
    // How `drover` is called for the cluster that is shown; without a program, why it cannot be.
    using Program = std::function<LaunchProgram()>;

    // A child of the page.
    DoctorLinks(OverviewPage &page, Program program);
    ~DoctorLinks() override;

    void forget(); // another cluster is shown

private:
    void look();
    void show(const QString &value, const QString &remark, Tone tone);
    void showFound();
    void showTrouble(const QString &why);

    OverviewPage &m_page;
    Program m_program;
    DoctorRun m_run;
    QString m_value; // of the last run that has answered; empty: none has
    Tone m_tone = Tone::Muted;
    QPointer<FindingsDialog> m_dialog;
};

} // namespace drover::gui
