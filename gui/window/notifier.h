#pragma once

#include <QObject>

#include <functional>

class QSystemTrayIcon;

namespace drover::gui {

// Shows messages about events: in the line at the bottom of the window, and by the desktop's notifications where there
// is a tray. Each names the cluster.
class Notifier final : public QObject
{
    Q_OBJECT

public:
    // Shows one message on the desktop, and calls `opened` once the user clicks on it.
    struct Message {
        QString title;
        QString text;
        std::function<void()> opened;
    };
    using Desktop = std::function<void(const Message &message)>;

    // Shows messages in the tray of the desktop unless another is given.
    explicit Notifier(QWidget &window);

    void setDesktop(Desktop desktop) { m_desktop = std::move(desktop); }
    void setCluster(const QString &name) { m_cluster = name; } // printable; empty: none is shown

public Q_SLOTS:
    void tell(const QString &title, const QString &text);

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);
    void opened(); // by a click on a notification

private:
    void showInTray(const Message &message);

    QWidget &m_window;
    Desktop m_desktop;
    QString m_cluster;
    QSystemTrayIcon *m_tray = nullptr; // made with the first message
};

} // namespace drover::gui
