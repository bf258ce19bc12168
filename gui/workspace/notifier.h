#pragma once

#include <QObject>

#include <functional>

class QWidget;

namespace drover::gui {

// Shows messages about the events of one cluster in the line at the bottom of its workspace. Once setDesktop() has said
// how, it shows them by the desktop's notifications, too. Each names the cluster.
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

    // `part` of a window, which a message marks; it outlives the notifier.
    Notifier(QWidget &part, QObject *parent);

    void setDesktop(Desktop desktop) { m_desktop = std::move(desktop); }
    void setCluster(const QString &name) { m_cluster = name; } // printable; empty: none is shown

public Q_SLOTS:
    void tell(const QString &title, const QString &text);

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);
    void opened(); // by a click on a notification

private:
    QWidget &m_part;
    Desktop m_desktop;
    QString m_cluster;
};

} // namespace drover::gui
