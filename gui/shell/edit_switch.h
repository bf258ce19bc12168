#pragma once

#include "gui/shell/connection_color.h"

#include <QPushButton>

class QAction;

namespace drover::gui {

// Says whether the console may change the cluster, and switches that by its action. While editing is on, it is filled
// with the colour of the connection.
class EditSwitch final : public QPushButton
{
    Q_OBJECT

public:
    // The action is checked while editing is on.
    explicit EditSwitch(QAction *action, QWidget *parent = nullptr);

    void showLook(const ConnectionLook &look);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void follow();

    QAction *m_action;
    ConnectionLook m_look;
};

} // namespace drover::gui
