#include "gui/window/tray.h"

#include "gui/widgets/theme.h"

#include <QSystemTrayIcon>

namespace drover::gui {

void Tray::show(const QObject *workspace, const Notifier::Message &message)
{
    m_workspace = workspace;
    m_open = message.opened;
    if (!QSystemTrayIcon::isSystemTrayAvailable())
        return;
    if (!m_icon) {
        m_icon = new QSystemTrayIcon(applicationIcon(), this);
        m_icon->setToolTip(tr("Drover Console"));
        connect(m_icon, &QSystemTrayIcon::messageClicked, this, &Tray::open);
        connect(m_icon, &QSystemTrayIcon::activated, this, &Tray::open);
        m_icon->show();
    }
    m_icon->showMessage(message.title, message.text, QSystemTrayIcon::Information);
}

void Tray::forget(const QObject *workspace)
{
    if (workspace == m_workspace)
        m_open = nullptr;
}

void Tray::open() const
{
    if (m_open)
        m_open();
}

} // namespace drover::gui
