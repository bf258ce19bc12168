#include "gui/window/notifier.h"

#include "gui/widgets/theme.h"

#include <QApplication>
#include <QSystemTrayIcon>

namespace drover::gui {

using namespace std::chrono_literals;

Notifier::Notifier(QWidget &window)
    : QObject(&window), m_window(window), m_desktop([this](const Message &message) { showInTray(message); })
{
}

namespace {

// Desktops take what looks like a tag or an entity for one.
QString withoutMarkup(QString text)
{
    return text.replace(u'<', u'‹').replace(u'>', u'›').replace(u'&', u'+');
}

} // namespace

void Notifier::tell(const QString &title, const QString &text)
{
    Q_EMIT said(tr("%1 (%2)", "event, rule").arg(text, title), 15s);
    QApplication::alert(&m_window);
    const QString heading = m_cluster.isEmpty() ? tr("Drover: %1", "a rule").arg(title)
                                                : tr("Drover, %1: %2", "cluster, rule").arg(m_cluster, title);
    m_desktop({withoutMarkup(heading), withoutMarkup(text), [this] { Q_EMIT opened(); }});
}

void Notifier::showInTray(const Message &message)
{
    if (!QSystemTrayIcon::isSystemTrayAvailable())
        return;
    if (!m_tray) {
        m_tray = new QSystemTrayIcon(applicationIcon(), this);
        m_tray->setToolTip(tr("Drover Console"));
        connect(m_tray, &QSystemTrayIcon::messageClicked, this, message.opened);
        connect(m_tray, &QSystemTrayIcon::activated, this, message.opened);
        m_tray->show();
    }
    m_tray->showMessage(message.title, message.text, QSystemTrayIcon::Information);
}

} // namespace drover::gui
