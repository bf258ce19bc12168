#pragma once

#include "gui/data/snapshots.h"

#include <QWidget>

class QLineEdit;
class QPushButton;

namespace drover::gui {

// Asks which cluster of which ensemble to show.
class ConnectionBar final : public QWidget
{
    Q_OBJECT

public:
    explicit ConnectionBar(QWidget *parent = nullptr);

    void setTarget(const Target &target);
    Target target() const;

public Q_SLOTS:
    void showStatus(const drover::gui::SessionStatus &status);

Q_SIGNALS:
    void connectWanted(const drover::gui::Target &target);
    void disconnectWanted();

private:
    void toggle();

    SessionStatus m_status;
    QLineEdit *m_servers;
    QLineEdit *m_cluster;
    QPushButton *m_button;
};

} // namespace drover::gui
