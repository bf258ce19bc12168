#include "gui/shell/connection_band.h"

#include <QPainter>

namespace drover::gui {

ConnectionBand::ConnectionBand(QWidget *parent) : QWidget(parent)
{
    constexpr int Height = 5;
    setFixedHeight(Height);
    hide();
}

void ConnectionBand::showLook(const ConnectionLook &look)
{
    m_look = look;
    setVisible(look.band(palette()).isValid());
    setAccessibleName(look.color == ConnectionColor::None ? tr("Open cluster") : colorTitle(look.color));
    setToolTip(look.isOpen ? tr("This cluster is open: all who reach its ZooKeeper may change it.") : QString());
    update();
}

void ConnectionBand::paintEvent(QPaintEvent *)
{
    QPainter(this).fillRect(rect(), m_look.band(palette()));
}

} // namespace drover::gui
