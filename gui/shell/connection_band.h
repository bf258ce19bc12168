#pragma once

#include "gui/shell/connection_color.h"

#include <QWidget>

namespace drover::gui {

// A line in the colour of the connection across the top of a window. It is hidden while there is no colour.
class ConnectionBand final : public QWidget
{
    Q_OBJECT

public:
    explicit ConnectionBand(QWidget *parent = nullptr);

    void showLook(const ConnectionLook &look);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    ConnectionLook m_look;
};

} // namespace drover::gui
