#include "gui/widgets/tone_delegate.h"

#include "gui/models/snapshot_model.h"
#include "gui/widgets/theme.h"

namespace drover::gui {

QSize ToneDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(size.height(), option.fontMetrics.height() + 8));
    return size;
}

void ToneDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(MonospaceRole).toBool())
        option->font = fixedFont();
    option->state &= ~QStyle::State_HasFocus; // rows are selected, not cells
    const QVariant value = index.data(ToneRole);
    if (!value.isValid())
        return;
    const QColor color = toneColor(Tone(value.toInt()), option->palette);
    const bool plain = Tone(value.toInt()) == Tone::Plain;
    option->palette.setColor(QPalette::Text, color);
    if (index.column() == m_dotColumn) {
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = QSize(14, 14);
        const qreal ratio = option->widget ? option->widget->devicePixelRatioF() : 1.0;
        const QColor fill = plain ? toneColor(Tone::Muted, option->palette) : color;
        option->icon = QIcon(dot(
            option->state & QStyle::State_Selected ? option->palette.color(QPalette::HighlightedText) : fill, ratio));
    }
}

} // namespace drover::gui
