#pragma once

#include "gui/data/snapshots.h"
#include "gui/shell/connection_color.h"

#include <QWidget>

class QAction;
class QLineEdit;
class QMenu;
class QPushButton;
class QToolButton;

namespace drover::gui {

class EditSwitch;

// Asks which cluster of which ensemble to show, and whether it may be changed. It has the colour of the connection.
class ConnectionBar final : public QWidget
{
    Q_OBJECT

public:
    // `edit` is checked while editing is on; `colors` offers the colours.
    ConnectionBar(QAction *edit, QMenu *colors);

    void setTarget(const Target &target);
    Target target() const;
    void takeFocus(); // for the servers
    void showLook(const ConnectionLook &look);

public Q_SLOTS:
    void showStatus(const drover::gui::SessionStatus &status);

Q_SIGNALS:
    void connectWanted(const drover::gui::Target &target);
    void disconnectWanted();

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void toggle();
    void paintSwatch();

    SessionStatus m_status;
    QLineEdit *m_servers;
    QLineEdit *m_cluster;
    QPushButton *m_button;
    QToolButton *m_color;
    EditSwitch *m_edit;
    ConnectionLook m_look;
};

} // namespace drover::gui
