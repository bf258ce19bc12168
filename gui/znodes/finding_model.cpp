#include "gui/znodes/finding_model.h"

#include "gui/models/snapshot_model.h"
#include "gui/text/format.h"
#include "gui/text/marks.h"

namespace drover::gui {

void FindingModel::clear()
{
    beginResetModel();
    m_found.clear();
    endResetModel();
}

void FindingModel::add(const QList<ZnodeFinding> &found)
{
    if (found.isEmpty())
        return;
    beginInsertRows({}, int(m_found.size()), int(m_found.size() + found.size()) - 1);
    m_found.append(found);
    endInsertRows();
}

int FindingModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_found.size());
}

int FindingModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant FindingModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const ZnodeFinding &finding = m_found[index.row()];
    if (role == ToneRole && index.column() == Excerpt)
        return int(Tone::Muted);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const QString text = index.column() == Path ? marked(finding.path.bytes()) : finding.excerpt;
    return role == Qt::ToolTipRole ? plainToolTip(text) : text;
}

QVariant FindingModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Path ? tr("Found") : tr("Data");
}

} // namespace drover::gui
