#pragma once

#include <QHash>
#include <QStyledItemDelegate>

namespace drover::gui {

// Paints cells in the colour of their ToneRole, and a dot of that colour in one column. A bar stands before the text of
// a cell with a ShareRole. An array of jobs has an arrow that opens it, and its tasks stand further in
// (JobFilter::FoldRole). Text is always plain.
class ToneDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit ToneDelegate(int dotColumn, QObject *parent = nullptr)
        : QStyledItemDelegate(parent), m_dotColumn(dotColumn)
    {
    }

    // Paints all in the colour of what is out of date.
    void setStale(bool stale) { m_stale = stale; }
    bool isStale() const { return m_stale; }

    // The width of the arrow at the left of a cell with a FoldRole.
    static int arrowWidth(const QWidget &widget);
    // The height of the title above the first row of a group, which belongs to the row (GroupRole); 0 above another
    // row.
    static int titleHeight(const QFontMetrics &font, const QModelIndex &index);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;

private:
    void paintShare(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index,
                    double share) const;
    int cellHeight(const QStyleOptionViewItem &option, const QModelIndex &index) const;
    int titleHeightOnce(const QStyleOptionViewItem &option, const QModelIndex &index) const;

    int m_dotColumn; // -1: none
    bool m_stale = false;
    mutable int m_fontHeight = 0; // for which the heights below are
    mutable QHash<int, int> m_heights; // of the cells of a column, whose texts are of one line
    mutable QModelIndex m_asked; // the last cell whose row's title was asked for; compared, never followed
    mutable int m_titleHeight = 0; // above that row
};

} // namespace drover::gui
