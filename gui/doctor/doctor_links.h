#pragma once

#include "gui/doctor/doctor_run.h"

namespace drover::gui {

class FindingsDialog;
class OverviewPage;

// Lets `drover doctor` look at the cluster while the overview is seen, and shows what it has found.
class DoctorLinks final : public QObject
{
    Q_OBJECT

public:
    // How `drover` is called for the cluster that is shown.
    using Program = std::function<LaunchProgram()>;

    // A child of the page.
    DoctorLinks(OverviewPage &page, Program program);

    void forget(); // another cluster is shown

private:
    void show(const QString &value, const QString &remark, Tone tone);
    void showFound();

    OverviewPage &m_page;
    Program m_program;
    DoctorRun m_run;
    FindingsDialog *m_dialog;
};

} // namespace drover::gui
