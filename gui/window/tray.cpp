#include "gui/window/tray.h"

#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QSystemTrayIcon>

namespace drover::gui {

Tray::Tray(QObject *parent) : QObject(parent)
{
    listRules({});
}

Tray::~Tray()
{
    delete m_icon; // it uses the menu
}

void Tray::makeIcon()
{
    if (m_icon || !QSystemTrayIcon::isSystemTrayAvailable())
        return;
    m_icon = new QSystemTrayIcon(applicationIcon(), this);
    m_icon->setToolTip(tr("Drover Console"));
    m_icon->setContextMenu(&m_menu);
    connect(m_icon, &QSystemTrayIcon::messageClicked, this, &Tray::open);
    connect(m_icon, &QSystemTrayIcon::activated, this, [this](QSystemTrayIcon::ActivationReason reason) {
        if (reason != QSystemTrayIcon::Context)
            open();
    });
    m_icon->show();
}

void Tray::show(const QObject *workspace, const Notifier::Message &message)
{
    m_workspace = workspace;
    m_open = message.opened;
    makeIcon();
    if (m_icon)
        m_icon->showMessage(message.title, message.text, QSystemTrayIcon::Information);
}

void Tray::listRules(const QStringList &rules)
{
    m_menu.clear();
    if (!rules.isEmpty()) {
        makeIcon();
        m_menu.addAction(tr("The desktop tells you of:"))->setEnabled(false);
    }
    for (const QString &rule : rules) {
        QAction *const action = m_menu.addAction(text::printable(rule).replace(u'&', QStringLiteral("&&")));
        action->setCheckable(true);
        action->setChecked(true);
        // Later: the menu is filled anew by what follows.
        connect(
            action, &QAction::toggled, this, [this, rule] { Q_EMIT ruleUnwanted(rule); }, Qt::QueuedConnection);
    }
    if (!rules.isEmpty())
        m_menu.addSeparator();
    connect(m_menu.addAction(tr("Show the &events")), &QAction::triggered, this, &Tray::eventsWanted);
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
