#include "gui/widgets/tone_delegate.h"

#include "gui/models/job_filter.h"
#include "gui/models/snapshot_model.h"
#include "gui/widgets/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QPainter>

#include <utility>

namespace drover::gui {

namespace {

// In pixels.
constexpr int BarSide = 4; // before a bar
constexpr int LeastBar = 6; // a narrower one shows nothing

// That has room.
int barWidth(const QFontMetrics &font)
{
    return font.averageCharWidth() * 8;
}

void paintBar(QPainter &painter, QRectF bar, const QColor &outline, const QColor &ink, double share)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(outline, 1));
    painter.setBrush(Qt::NoBrush);
    bar.adjust(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(bar, 2, 2);
    bar.adjust(1.5, 1.5, -1.5, -1.5);
    bar.setWidth(bar.width() * share);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawRect(bar);
    painter.restore();
}

} // namespace

int ToneDelegate::arrowWidth(const QWidget &widget)
{
    return widget.style()->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, &widget);
}

int ToneDelegate::titleHeight(const QFontMetrics &font, const QModelIndex &index)
{
    return index.data(GroupRole).isValid() ? font.height() + 14 : 0;
}

void ToneDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (const QVariant share = index.data(ShareRole); share.isValid())
        return paintShare(painter, option, index, share.toDouble());
    const QVariant fold = index.data(JobFilter::FoldRole);
    if (!fold.isValid() || !option.widget)
        return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem whole = option;
    initStyleOption(&whole, index);
    const QStyle &style = *option.widget->style();
    style.drawPrimitive(QStyle::PE_PanelItemViewItem, &whole, painter, option.widget);
    const int width = arrowWidth(*option.widget);
    const bool isOpen = JobFilter::Fold(fold.toInt()) == JobFilter::Fold::Open;
    if (JobFilter::Fold(fold.toInt()) != JobFilter::Fold::Task) {
        QStyleOption arrow = option;
        arrow.rect.setWidth(width);
        style.drawPrimitive(isOpen ? QStyle::PE_IndicatorArrowDown : QStyle::PE_IndicatorArrowRight, &arrow, painter,
                            option.widget);
    }
    QStyleOptionViewItem text = option;
    text.rect.setLeft(text.rect.left() + width * (JobFilter::Fold(fold.toInt()) == JobFilter::Fold::Task ? 2 : 1));
    QStyledItemDelegate::paint(painter, text, index);
}

void ToneDelegate::paintShare(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index,
                              double share) const
{
    const int width = std::clamp(option.rect.width() - BarSide, 0, barWidth(option.fontMetrics));
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QStyle &style = option.widget ? *option.widget->style() : *QApplication::style();
    style.drawPrimitive(QStyle::PE_PanelItemViewItem, &cell, painter, option.widget);
    const int height = std::max(6, option.fontMetrics.height() / 2);
    const QRectF bar(option.rect.left() + BarSide, option.rect.center().y() - height / 2, width, height);
    const bool isSelected = option.state & QStyle::State_Selected;
    const QColor ink = isSelected ? option.palette.color(QPalette::HighlightedText)
                                  : toneColor(m_stale ? Tone::Muted : Tone::Busy, option.palette);
    if (width >= LeastBar)
        paintBar(*painter, bar, isSelected ? ink : mutedText(option.palette), ink, share);
    QStyleOptionViewItem text = option;
    text.rect.setLeft(option.rect.left() + BarSide + width);
    QStyledItemDelegate::paint(painter, text, index);
}

// A view whose rows have several heights asks for those of thousands of rows at once, cell by cell. Then the width of
// the option is negative, and only the height is wanted.
QSize ToneDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (option.rect.width() < 0)
        return {0, cellHeight(option, index) + titleHeightOnce(option, index)};
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.data(ShareRole).isValid())
        size.rwidth() += BarSide + barWidth(option.fontMetrics);
    size.setHeight(std::max(size.height(), option.fontMetrics.height() + 8) + titleHeight(option.fontMetrics, index));
    return size;
}

int ToneDelegate::cellHeight(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const int fontHeight = option.fontMetrics.height();
    if (fontHeight != std::exchange(m_fontHeight, fontHeight))
        m_heights.clear();
    int &height = m_heights[index.column()];
    if (height == 0)
        height = std::max(QStyledItemDelegate::sizeHint(option, index).height(), fontHeight + 8);
    return height;
}

// The cells of a row are asked one after another, from the left: the model answers for the first of them.
int ToneDelegate::titleHeightOnce(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const bool isNext = index.row() == m_asked.row() && index.column() > m_asked.column();
    if (!isNext)
        m_titleHeight = titleHeight(option.fontMetrics, index);
    m_asked = index;
    return m_titleHeight;
}

void ToneDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(MonospaceRole).toBool())
        option->font = fixedFont();
    option->state &= ~QStyle::State_HasFocus; // rows are selected, not cells
    const auto *const view = qobject_cast<const QAbstractItemView *>(option->widget);
    if (view && view->hasFocus() && view->currentIndex() == index && index.data(LinkRole).isValid())
        option->font.setUnderline(true); // Enter leads there
    const QVariant tone = m_stale ? QVariant(int(Tone::Muted)) : index.data(ToneRole);
    const QPalette palette = option->palette;
    if (tone.isValid())
        option->palette.setColor(QPalette::Text, toneColor(Tone(tone.toInt()), palette));
    const QVariant dotTone = !m_stale && index.data(DotRole).isValid() ? index.data(DotRole) : tone;
    if (index.column() != m_dotColumn || !dotTone.isValid())
        return;
    const bool plain = Tone(dotTone.toInt()) == Tone::Plain;
    const bool selected = option->state & QStyle::State_Selected;
    const QColor color = selected ? palette.color(QPalette::HighlightedText)
                                  : toneColor(plain ? Tone::Muted : Tone(dotTone.toInt()), palette);
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->decorationSize = QSize(14, 14);
    option->icon = QIcon(dot(color, option->widget ? option->widget->devicePixelRatioF() : 1.0));
}

} // namespace drover::gui
