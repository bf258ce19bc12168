#include "gui/znodes/name_model.h"

#include "gui/text/marks.h"

namespace drover::gui {

void NameModel::show(const QString &above, const QByteArrayList &names)
{
    beginResetModel();
    m_above = above;
    m_names = names;
    endResetModel();
}

int NameModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_names.size());
}

QVariant NameModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const QByteArray &name = m_names[index.row()];
    if (role == Qt::DisplayRole)
        return marked(name);
    return role == Qt::EditRole ? m_above + QString::fromUtf8(name) : QVariant();
}

} // namespace drover::gui
