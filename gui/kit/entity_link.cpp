#include "gui/kit/entity_link.h"

#include "gui/text/entity_text.h"
#include "gui/text/format.h"
#include "text/printable.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyleOptionFocusRect>

namespace drover::gui {

namespace {

// The field says of which kind most are; a lock and a session may stand beside a job.
QString textOf(const EntityRef &entity)
{
    const bool needsKind = entity.kind == EntityRef::Kind::Lock || entity.kind == EntityRef::Kind::Session;
    return needsKind ? entityText(entity) : text::printable(entity.name);
}

} // namespace

EntityLink::EntityLink(const EntityRef &entity, QWidget *parent) : QAbstractButton(parent), m_entity(entity)
{
    setText(textOf(entity));
    setAccessibleName(tr("Go to %1").arg(entityText(entity)));
    setToolTip(plainToolTip(entityText(entity)));
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize EntityLink::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(text()) + 2, fontMetrics().height()}; // its width is rounded
}

QSize EntityLink::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), fontMetrics().averageCharWidth() * 10), sizeHint().height()};
}

void EntityLink::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    QFont underlined = font();
    underlined.setUnderline(underMouse() || hasFocus());
    painter.setFont(underlined);
    painter.setPen(palette().color(QPalette::Link));
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                     fontMetrics().elidedText(text(), Qt::ElideMiddle, width()));
    if (!hasFocus())
        return;
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
}

void EntityLink::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

} // namespace drover::gui
