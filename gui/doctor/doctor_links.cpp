#include "gui/doctor/doctor_links.h"

#include "gui/doctor/findings_dialog.h"
#include "gui/pages/overview_page.h"
#include "gui/text/counted.h"

namespace drover::gui {

DoctorLinks::DoctorLinks(OverviewPage &page, Program program)
    : QObject(&page), m_page(page), m_program(std::move(program)), m_dialog(new FindingsDialog(m_run.findings(), &page))
{
    connect(&page, &OverviewPage::doctorWanted, this, [this] { m_run.look(m_program()); });
    connect(&page, &OverviewPage::findingsWanted, m_dialog, [this] {
        m_dialog->show();
        m_dialog->raise();
        m_dialog->activateWindow();
    });
    connect(&m_run, &DoctorRun::found, this, &DoctorLinks::showFound);
    connect(&m_run, &DoctorRun::failed, this,
            [this](const QString &why) { show(tr("Not checked"), why, Tone::Muted); });
    forget();
}

void DoctorLinks::forget()
{
    m_run.forget();
    show(tr("Not checked"), tr("drover doctor looks in a moment."), Tone::Muted);
}

void DoctorLinks::showFound()
{
    const FindingsModel &findings = m_run.findings();
    if (findings.rowCount() == 0)
        return show(tr("All is well"), {}, Tone::Good);
    const int problems = findings.count(QStringLiteral("problem"));
    const int warnings = findings.count(QStringLiteral("warning"));
    QStringList counts;
    if (problems > 0)
        counts << counted(problems, Things::Problems);
    if (warnings > 0)
        counts << counted(warnings, Things::Warnings);
    if (counts.isEmpty())
        counts << counted(findings.rowCount(), Things::Findings);
    const FindingRow &first = findings.row(0);
    show(counts.join(QStringLiteral(", ")), first.subject + QStringLiteral(": ") + first.what,
         problems > 0       ? Tone::Bad
             : warnings > 0 ? Tone::Waiting
                            : Tone::Plain);
}

void DoctorLinks::show(const QString &value, const QString &remark, Tone tone)
{
    m_page.showFindings(value, remark, tone);
    m_dialog->say(value);
}

} // namespace drover::gui
