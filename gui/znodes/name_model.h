#pragma once

#include <QAbstractListModel>
#include <QByteArrayList>

namespace drover::gui {

// The paths of a node's children, sorted, for completion. It keeps the names as they were listed and makes the text of
// a row when it is asked for.
class NameModel final : public QAbstractListModel
{
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    // `above` is the parent's path with a slash at its end.
    void show(const QString &above, const QByteArrayList &names);

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    QString m_above;
    QByteArrayList m_names;
};

} // namespace drover::gui
