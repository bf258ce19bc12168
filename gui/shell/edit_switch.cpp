#include "gui/shell/edit_switch.h"

#include "gui/widgets/icon.h"

#include <QAction>
#include <QStyleOptionButton>
#include <QStylePainter>

namespace drover::gui {

EditSwitch::EditSwitch(QAction *action, QWidget *parent) : QPushButton(parent), m_action(action)
{
    setCheckable(true);
    connect(action, &QAction::changed, this, &EditSwitch::follow);
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
    follow();
}

void EditSwitch::showLook(const ConnectionLook &look)
{
    m_look = look;
    update();
}

void EditSwitch::follow()
{
    setChecked(m_action->isChecked());
    setEnabled(m_action->isEnabled());
    setIcon(lineIcon(isChecked() ? QStringLiteral("unlocked") : QStringLiteral("locks")));
    setText(isChecked() ? tr("Editing") : tr("Read-only"));
    setAccessibleName(isChecked() ? tr("Editing is on") : tr("Read-only"));
    setToolTip(isChecked() ? tr("The console may change this cluster. Click for read-only (Ctrl+E).")
                           : tr("The console changes nothing here. Click to switch editing on (Ctrl+E)."));
}

void EditSwitch::paintEvent(QPaintEvent *)
{
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    if (!isChecked()) {
        painter.drawControl(QStyle::CE_PushButton, option);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(hasFocus() ? QPen(Qt::white, 1.5) : QPen(Qt::NoPen));
    painter.setBrush(m_look.fill());
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
    option.state &= ~(QStyle::State_On | QStyle::State_Sunken); // the label stays where it is
    option.palette.setColor(QPalette::ButtonText, Qt::white);
    option.icon = QIcon(icon().pixmap(iconSize(), devicePixelRatio(), QIcon::Selected));
    painter.drawControl(QStyle::CE_PushButtonLabel, option);
}

} // namespace drover::gui
