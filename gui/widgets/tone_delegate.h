#pragma once

#include <QStyledItemDelegate>

namespace drover::gui {

// Gives cells the colour of their ToneRole; in the columns told, a dot of that colour as well. Text is always plain.
class ToneDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit ToneDelegate(int dotColumn, QObject *parent = nullptr)
        : QStyledItemDelegate(parent), m_dotColumn(dotColumn)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;

private:
    int m_dotColumn; // -1: none
};

} // namespace drover::gui
