#pragma once

#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

namespace drover::gui {

// Znodes that were open in the tree, one a row, with their children.
struct ListingRow {
    QByteArray path;
    bool isRead = true; // false: it was missing, or could not be read
    qint64 children = 0;
    qint64 changes = 0; // of the children, since it was created
    QString names; // of the children, as far as they were recorded

    friend bool operator==(const ListingRow &, const ListingRow &) = default;
};

class ListingModel final : public SnapshotModel<ListingRow, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Path, Children, Changes, Names };

    explicit ListingModel(QObject *parent = nullptr);

    void show(const QList<ZnodeListing> &listings);

protected:
    QByteArray keyOf(const ListingRow &row) const override { return row.path; }
    QVariant cell(const ListingRow &row, int column, int role) const override;
};

} // namespace drover::gui
