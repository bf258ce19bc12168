#pragma once

#include "gui/workspace/notifier.h"

#include <QMenu>
#include <QStringList>

class QSystemTrayIcon;

namespace drover::gui {

// The icon of the console in the tray of the desktop, if there is a tray. All workspaces of a window show their
// notifications by it. Its menu lists the rules that one subscribes to.
class Tray final : public QObject
{
    Q_OBJECT

public:
    explicit Tray(QObject *parent);
    ~Tray() override;

    // A click on the message, or on the icon, opens it until there is another message, or its workspace has gone.
    void show(const QObject *workspace, const Notifier::Message &message);
    void forget(const QObject *workspace); // its messages open nothing any more
    // All that there are now. The icon appears with the first one, or with the first message.
    void listRules(const QStringList &rules);
    const QMenu &menu() const { return m_menu; }

Q_SIGNALS:
    void ruleUnwanted(const QString &rule); // its tick was taken away
    void eventsWanted(); // the page of the events

private:
    void makeIcon();
    void open() const;

    QMenu m_menu;
    QSystemTrayIcon *m_icon = nullptr; // made with the first message or rule
    const QObject *m_workspace = nullptr; // of the last message
    std::function<void()> m_open;
};

} // namespace drover::gui
