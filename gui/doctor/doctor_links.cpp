#include "gui/doctor/doctor_links.h"

#include "gui/doctor/findings_dialog.h"
#include "gui/pages/overview_page.h"
#include "gui/text/counted.h"

namespace drover::gui {

DoctorLinks::DoctorLinks(OverviewPage &page, Program program)
    : QObject(&page), m_page(page), m_program(std::move(program)), m_dialog(new FindingsDialog(m_run.findings(), &page))
{
    connect(&page, &OverviewPage::doctorWanted, this, &DoctorLinks::look);
    connect(&page, &OverviewPage::findingsWanted, m_dialog, [this] {
        m_dialog->show();
        m_dialog->raise();
        m_dialog->activateWindow();
    });
    connect(&m_run, &DoctorRun::found, this, &DoctorLinks::showFound);
    connect(&m_run, &DoctorRun::failed, this, &DoctorLinks::showTrouble);
    forget();
}

DoctorLinks::~DoctorLinks()
{
    delete m_dialog.data(); // before its model
}

void DoctorLinks::look()
{
    const LaunchProgram program = m_program();
    if (program.program.isEmpty())
        return showTrouble(program.refusal);
    m_run.look(program);
}

void DoctorLinks::forget()
{
    m_run.forget();
    m_dialog->hide();
    m_dialog->nameIt(); // its title has the name of the cluster
    m_value.clear();
    m_tone = Tone::Muted;
    showTrouble(tr("drover doctor looks in a moment."));
}

void DoctorLinks::showFound()
{
    const FindingsModel &findings = m_run.findings();
    const int problems = findings.count(QStringLiteral("problem"));
    const int warnings = findings.count(QStringLiteral("warning"));
    QStringList counts;
    if (problems > 0)
        counts << counted(problems, Things::Problems);
    if (warnings > 0)
        counts << counted(warnings, Things::Warnings);
    if (counts.isEmpty() && findings.rowCount() > 0)
        counts << counted(findings.rowCount(), Things::Findings);
    m_value = counts.isEmpty() ? tr("All is well") : counts.join(QStringLiteral(", "));
    m_tone = problems > 0 ? Tone::Bad : warnings > 0 ? Tone::Waiting : counts.isEmpty() ? Tone::Good : Tone::Plain;
    const QString first =
        counts.isEmpty() ? QString() : findings.row(0).subject + QStringLiteral(": ") + findings.row(0).what;
    show(m_value, first, m_tone);
}

// What was found before stays.
void DoctorLinks::showTrouble(const QString &why)
{
    show(m_value.isEmpty() ? tr("Not checked") : m_value, why, m_tone);
    m_dialog->say(m_value.isEmpty() ? why : m_value + QStringLiteral("\n") + why,
                  m_value.isEmpty() ? tr("Not checked") : tr("All was well."));
}

void DoctorLinks::show(const QString &value, const QString &remark, Tone tone)
{
    m_page.showFindings(value, remark, tone);
    m_dialog->say(value, tr("All is well."));
}

} // namespace drover::gui
