#pragma once

#include "gui/data/snapshots.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace drover::gui {

// Shows the ensemble that the console is connected to, the state of its session, and who it is there.
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

protected:
    void changeEvent(QEvent *event) override;

private:
    void toggle();
    void paintDot();

    SessionStatus m_status;
    QLineEdit *m_servers;
    QLineEdit *m_cluster;
    QPushButton *m_button;
    QLabel *m_dot;
    QLabel *m_state;
    QLabel *m_details;
};

} // namespace drover::gui
