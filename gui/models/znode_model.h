#pragma once

#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

#include <QAbstractItemModel>
#include <QTimer>

#include <set>

namespace drover::gui {

class ZnodeItem;
struct RowEdit;

// The tree of znodes, as far as it was opened. The feed follows each open node. Its children are revealed SliceSize
// at first, and twice as many each time; closed nodes show what was last seen. data() reads memory only: it notes a
// missing Stat, which is requested once the view has finished painting.
//
//     opened, not yet listed    one row "Loading…"
//     listed                    the first children; "n more…" if there are more
//     empty, gone, forbidden    one row that says so
//
// A listing with a few changes inserts and removes ranges of rows. One with many is a change of the layout, which costs
// the view less than each range by itself.
class ZnodeModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column { Name, ChildCount, ColumnCount };
    enum Role { PathRole = Qt::UserRole + 20, MoreRole, EphemeralRole };

    static constexpr int SliceSize = 1000;
    static constexpr int BigSlice = 10'000;

    explicit ZnodeModel(QObject *parent = nullptr);
    ~ZnodeModel() override;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex & = {}) const override { return ColumnCount; }
    bool hasChildren(const QModelIndex &parent) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    std::optional<zk::Path> pathOf(const QModelIndex &index) const; // none for "Loading…" and the like
    QModelIndex indexOf(const zk::Path &path) const; // invalid if not in the tree (yet)

    // For views: they report which nodes are open, reveal more, and refresh the Stats of the rows that they show.
    void open(const QModelIndex &index);
    void close(const QModelIndex &index);
    void revealMore(const QModelIndex &index); // a "n more…" row
    // Reveals another BigSlice somewhere; false: all that was opened is revealed, or 200,000 nodes of it.
    bool revealSome();
    // Reveals that child, and all before it; false: its parent is not listed, or has no child of that name.
    bool revealChild(const zk::Path &path);
    bool isListed(const QModelIndex &index) const;
    // The names of the children as listed, whether they are revealed or not; empty unless the node is open.
    QByteArrayList childNames(const zk::Path &path) const;
    void refreshStats(const QModelIndexList &visible);

public Q_SLOTS:
    void showListing(const drover::gui::ZnodeListing &listing);
    void showStats(const QList<drover::gui::ZnodeStat> &stats);
    void clear(); // back to a closed root without known children

Q_SIGNALS:
    void openWanted(const drover::zk::Path &path);
    void closeWanted(const drover::zk::Path &path);
    void statsWanted(const QList<drover::zk::Path> &paths);
    void listingShown(const drover::zk::Path &path);

private:
    ZnodeItem *itemOf(const QModelIndex &index) const;
    ZnodeItem *find(const zk::Path &path) const;
    QModelIndex indexOfItem(const ZnodeItem *item, int column = 0) const;
    QVariant text(const ZnodeItem &item, int column) const;
    void setNames(ZnodeItem &item, const QByteArrayList &shown);
    void apply(ZnodeItem &item, const QByteArrayList &shown, const RowEdit &edit);
    void rebuild(ZnodeItem &item, const QByteArrayList &shown);
    void setRemark(ZnodeItem &item);
    void wantStat(const ZnodeItem &item) const;
    void forget(ZnodeItem &item);

    std::unique_ptr<ZnodeItem> m_top; // invisible, holds the root
    std::set<zk::Path> m_hiding; // nodes with children that are not revealed
    mutable std::set<zk::Path> m_wanted;
    mutable QTimer m_askForWanted;
};

} // namespace drover::gui
