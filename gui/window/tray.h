#pragma once

#include "gui/workspace/notifier.h"

class QSystemTrayIcon;

namespace drover::gui {

// The icon of the console in the tray of the desktop, if there is a tray. All workspaces of a window show their
// notifications by it.
class Tray final : public QObject
{
    Q_OBJECT

public:
    explicit Tray(QObject *parent) : QObject(parent) { }

    // A click on the message, or on the icon, opens it until there is another message, or its workspace has gone.
    void show(const QObject *workspace, const Notifier::Message &message);
    void forget(const QObject *workspace); // its messages open nothing any more

private:
    void open() const;

    QSystemTrayIcon *m_icon = nullptr; // made with the first message
    const QObject *m_workspace = nullptr; // of the last message
    std::function<void()> m_open;
};

} // namespace drover::gui
