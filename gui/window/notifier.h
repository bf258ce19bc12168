#pragma once

#include <QObject>

class QSystemTrayIcon;

namespace drover::gui {

// Shows messages about events: in the line at the bottom of the window, and by the desktop's notifications where there
// is a tray.
class Notifier final : public QObject
{
    Q_OBJECT

public:
    explicit Notifier(QWidget &window);

    bool hasTray() const { return m_tray != nullptr; }

public Q_SLOTS:
    void tell(const QString &title, const QString &text);

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);
    void opened(); // by a click on a notification

private:
    QWidget &m_window;
    QSystemTrayIcon *m_tray = nullptr; // made with the first message
};

} // namespace drover::gui
