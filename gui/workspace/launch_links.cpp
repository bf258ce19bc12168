#include "gui/workspace/launch_links.h"

#include "gui/launch/launch_dialog.h"
#include "gui/pages/workers_page.h"
#include "gui/shell/gateway.h"

#include <QTimer>

namespace drover::gui {

LaunchLinks::LaunchLinks(WorkersPage &page, const Gateway &gateway)
    : QObject(&page), m_programs([](const Target &) {
          return LaunchProgram{{}, {}, tr("It is not known where the programs are.")};
      }),
      m_dialog(new LaunchDialog([this](const Target &target) { return m_programs(target); },
                                [&gateway](const QString &verb) { return gateway.refusal(needOf(verb)); }, &page))
{
    connect(&page, &WorkersPage::launchWanted, m_dialog, [this] {
        m_dialog->show();
        m_dialog->raise();
        m_dialog->activateWindow();
    });
    connect(&gateway, &Gateway::changed, m_dialog, &LaunchDialog::check);
}

trust::Need LaunchLinks::needOf(const QString &verb)
{
    return verb == u"upgrade" ? Gateway::toOperate() : trust::Need{.role = trust::Role::Viewer};
}

void LaunchLinks::setTarget(const Target &target)
{
    m_target = target;
    m_dialog->setTarget(target);
}

bool LaunchLinks::isRunning() const
{
    return m_dialog->launch().isRunning();
}

void LaunchLinks::end()
{
    if (!isRunning())
        return Q_EMIT ended();
    connect(&m_dialog->launch(), &LaunchRun::ended, this, &LaunchLinks::ended);
    QTimer::singleShot(LaunchRun::Patience, this, &LaunchLinks::ended);
    m_dialog->launch().interrupt();
}

void LaunchLinks::saveTo(QSettings &settings) const
{
    m_dialog->saveTo(settings);
}

void LaunchLinks::restoreFrom(const QSettings &settings)
{
    m_dialog->restoreFrom(settings);
}

} // namespace drover::gui
