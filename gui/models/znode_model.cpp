#include "gui/models/znode_model.h"

#include "gui/models/znode_item.h"
#include "gui/text/format.h"
#include "gui/words/node_words.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr std::size_t MaxStatsAtATime = 200; // more are asked for when they are next painted

// Beyond that a view takes long for each change; more are revealed when they are asked for.
constexpr qsizetype MaxRevealedUnasked = 200'000;

struct Remarks {
    Q_DECLARE_TR_FUNCTIONS(ZnodeModel)
};

// What stands in the place of children that are not shown; empty if all are.
QString remarkOn(const ZnodeItem &item)
{
    if (!item.open)
        return {};
    if (!item.listed)
        return item.revealed() == 0 ? Remarks::tr("Loading…") : QString();
    if (item.condition == NodeCondition::Denied)
        return Remarks::tr("No permission to list it");
    if (item.condition == NodeCondition::Unfollowed)
        return Remarks::tr("Too many watches: it is not followed at present");
    if (item.condition == NodeCondition::Missing)
        return Remarks::tr("It no longer exists");
    const qsizetype hidden = item.names.size() - item.revealed();
    return hidden == 0 ? QString() : Remarks::tr("%1 more…").arg(text::formatCount(hidden));
}

} // namespace

ZnodeModel::ZnodeModel(QObject *parent) : QAbstractItemModel(parent)
{
    m_top = std::make_unique<ZnodeItem>(nullptr, ZnodeItem::Kind::Node, QByteArray());
    m_top->children.push_back(std::make_unique<ZnodeItem>(m_top.get(), ZnodeItem::Kind::Node, QByteArray()));
    m_askForWanted.setSingleShot(true);
    connect(&m_askForWanted, &QTimer::timeout, this, [this] {
        Q_EMIT statsWanted(QList<zk::Path>(m_wanted.begin(), m_wanted.end()));
        m_wanted.clear();
    });
}

ZnodeModel::~ZnodeModel() = default;

ZnodeItem *ZnodeModel::itemOf(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<ZnodeItem *>(index.internalPointer()) : m_top.get();
}

QModelIndex ZnodeModel::indexOfItem(const ZnodeItem *item, int column) const
{
    return item == m_top.get() ? QModelIndex() : createIndex(item->row, column, item);
}

QModelIndex ZnodeModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, itemOf(parent)->children[std::size_t(row)].get());
}

QModelIndex ZnodeModel::parent(const QModelIndex &index) const
{
    return index.isValid() ? indexOfItem(itemOf(index)->parent()) : QModelIndex();
}

int ZnodeModel::rowCount(const QModelIndex &parent) const
{
    return parent.column() > 0 ? 0 : int(itemOf(parent)->children.size());
}

bool ZnodeModel::hasChildren(const QModelIndex &parent) const
{
    if (parent.column() > 0)
        return false;
    const ZnodeItem *item = itemOf(parent);
    if (!item->isNode())
        return false;
    if (item->open || !item->children.empty())
        return !item->children.empty();
    return !item->stat || item->stat->numChildren > 0; // unknown: let people try
}

std::optional<zk::Path> ZnodeModel::pathOf(const QModelIndex &index) const
{
    if (!index.isValid() || !itemOf(index)->isNode())
        return std::nullopt;
    return itemOf(index)->path();
}

ZnodeItem *ZnodeModel::find(const zk::Path &path) const
{
    ZnodeItem *item = m_top->children.front().get();
    if (path.isRoot())
        return item;
    const QByteArrayList parts = path.bytes().mid(1).split('/');
    for (const QByteArray &part : parts) {
        item = item->child(part);
        if (!item)
            return nullptr;
    }
    return item;
}

QModelIndex ZnodeModel::indexOf(const zk::Path &path) const
{
    const ZnodeItem *item = find(path);
    return item ? indexOfItem(item) : QModelIndex();
}

void ZnodeModel::open(const QModelIndex &index)
{
    ZnodeItem *item = itemOf(index);
    if (!index.isValid() || !item->isNode() || item->open)
        return;
    item->open = true;
    item->listed = false;
    if (item->children.empty())
        setRemark(*item);
    Q_EMIT openWanted(item->path());
}

void ZnodeModel::close(const QModelIndex &index)
{
    ZnodeItem *item = itemOf(index);
    if (!index.isValid() || !item->open)
        return;
    for (const auto &child : item->children)
        close(indexOfItem(child.get()));
    item->open = false;
    Q_EMIT closeWanted(item->path());
    forget(*item);
}

void ZnodeModel::forget(ZnodeItem &item)
{
    item.names.clear();
    item.listed = false;
    if (item.children.empty())
        return;
    beginRemoveRows(indexOfItem(&item), 0, int(item.children.size()) - 1);
    item.children.clear();
    endRemoveRows();
}

void ZnodeModel::clear()
{
    ZnodeItem &root = *m_top->children.front();
    close(indexOfItem(&root));
    beginResetModel(); // views close their nodes, and ask for them anew when they open them again
    root.stat.reset();
    endResetModel();
}

void ZnodeModel::showListing(const ZnodeListing &listing)
{
    ZnodeItem *item = find(listing.path);
    if (!item || !item->open)
        return; // closed, or gone, while the news was on its way
    const qsizetype wasTotal = item->names.size();
    const qsizetype revealed = item->revealed();
    item->listed = true;
    item->condition = listing.condition;
    item->names = listing.names;
    if (listing.condition == NodeCondition::Ok)
        item->stat = listing.stat;
    // What was shown to its end stays so as it grows, slice by slice.
    const qsizetype wanted = revealed == wasTotal ? revealed + SliceSize : std::max<qsizetype>(revealed, SliceSize);
    setNames(*item, listing.names.first(std::min(wanted, listing.names.size())));
    Q_EMIT dataChanged(indexOfItem(item), indexOfItem(item, ColumnCount - 1));
    Q_EMIT listingShown(listing.path);
}

void ZnodeModel::revealMore(const QModelIndex &index)
{
    if (!index.isValid() || !index.data(MoreRole).toBool())
        return;
    ZnodeItem &item = *itemOf(index)->parent();
    const qsizetype wanted = item.revealed() + std::max(SliceSize, item.revealed());
    setNames(item, item.names.first(std::min(wanted, item.names.size())));
}

bool ZnodeModel::revealSome()
{
    while (!m_hiding.empty()) {
        ZnodeItem *const item = find(*m_hiding.begin());
        const qsizetype most = item ? std::min(item->names.size(), MaxRevealedUnasked) : 0;
        if (item && item->open && item->revealed() < most) {
            setNames(*item, item->names.first(std::min<qsizetype>(item->revealed() + BigSlice, most)));
            return true;
        }
        m_hiding.erase(m_hiding.begin());
    }
    return false;
}

bool ZnodeModel::revealChild(const zk::Path &path)
{
    ZnodeItem *const item = find(path.parent());
    if (path.isRoot() || !item)
        return false;
    const auto place = std::lower_bound(item->names.begin(), item->names.end(), path.name());
    if (place == item->names.end() || *place != path.name())
        return false;
    const qsizetype wanted = place - item->names.begin() + 1;
    if (wanted > item->revealed())
        setNames(*item, item->names.first(wanted));
    return true;
}

bool ZnodeModel::isListed(const QModelIndex &index) const
{
    return index.isValid() && itemOf(index)->listed;
}

QByteArrayList ZnodeModel::childNames(const zk::Path &path) const
{
    const ZnodeItem *const item = find(path);
    return item ? item->names : QByteArrayList();
}

// Makes the revealed children equal to the sorted list `shown`.
void ZnodeModel::setNames(ZnodeItem &item, const QByteArrayList &shown)
{
    constexpr std::size_t MaxEdits = 32;
    const std::vector<RowEdit> edits = item.editsTo(shown);
    if (edits.size() > MaxEdits)
        rebuild(item, shown);
    else
        std::for_each(edits.rbegin(), edits.rend(), [&](const RowEdit &edit) { apply(item, shown, edit); });
    setRemark(item);
}

void ZnodeModel::apply(ZnodeItem &item, const QByteArrayList &shown, const RowEdit &edit)
{
    auto &rows = item.children;
    const auto place = rows.begin() + edit.row;
    if (edit.removed > 0) {
        beginRemoveRows(indexOfItem(&item), edit.row, edit.row + edit.removed - 1);
        rows.erase(place, place + edit.removed);
        item.renumber(edit.row);
        endRemoveRows();
        return;
    }
    std::vector<std::unique_ptr<ZnodeItem>> fresh;
    for (qsizetype i = edit.first; i < edit.first + edit.inserted; ++i)
        fresh.push_back(std::make_unique<ZnodeItem>(&item, ZnodeItem::Kind::Node, shown[i]));
    beginInsertRows(indexOfItem(&item), edit.row, edit.row + edit.inserted - 1);
    rows.insert(place, std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
    item.renumber(edit.row);
    endInsertRows();
}

void ZnodeModel::rebuild(ZnodeItem &item, const QByteArrayList &shown)
{
    const QList<QPersistentModelIndex> parents{indexOfItem(&item)};
    Q_EMIT layoutAboutToBeChanged(parents);
    std::vector<std::unique_ptr<ZnodeItem>> former = std::exchange(item.children, {});
    std::size_t old = 0;
    for (const QByteArray &name : shown) {
        while (old < former.size() && former[old]->isNode() && former[old]->name() < name)
            ++old;
        const bool known = old < former.size() && former[old]->isNode() && former[old]->name() == name;
        item.children.push_back(known ? std::move(former[old++])
                                      : std::make_unique<ZnodeItem>(&item, ZnodeItem::Kind::Node, name));
    }
    if (!former.empty() && former.back() && !former.back()->isNode())
        item.children.push_back(std::move(former.back()));
    item.renumber(0);
    for (const std::unique_ptr<ZnodeItem> &gone : former) {
        if (gone)
            gone->row = -1;
    }
    const QModelIndexList persistent = persistentIndexList();
    for (const QModelIndex &index : persistent) {
        ZnodeItem *const node = itemOf(index);
        bool isGone = false;
        for (const ZnodeItem *above = node; above && !isGone; above = above->parent())
            isGone = above->row < 0;
        changePersistentIndex(index, isGone ? QModelIndex() : indexOfItem(node, index.column()));
    }
    Q_EMIT layoutChanged(parents);
}

// The last row: a remark while there is something to say. Its text is kept, because rows may not change unannounced.
void ZnodeModel::setRemark(ZnodeItem &item)
{
    const QString text = remarkOn(item);
    const QModelIndex parent = indexOfItem(&item);
    const int row = item.revealed();
    if (text.isEmpty() && item.hasRemark()) {
        beginRemoveRows(parent, row, row);
        item.children.pop_back();
        endRemoveRows();
    } else if (!text.isEmpty() && !item.hasRemark()) {
        beginInsertRows(parent, row, row);
        item.children.push_back(std::make_unique<ZnodeItem>(&item, ZnodeItem::Kind::Remark, QByteArray()));
        item.renumber(row);
        endInsertRows();
    }
    if (text.isEmpty())
        return;
    ZnodeItem &remark = *item.children.back();
    remark.remark = text;
    remark.more = item.listed && item.condition == NodeCondition::Ok;
    if (remark.more)
        m_hiding.insert(item.path());
    Q_EMIT dataChanged(index(row, 0, parent), index(row, ColumnCount - 1, parent));
}

void ZnodeModel::refreshStats(const QModelIndexList &visible)
{
    for (const QModelIndex &index : visible) {
        const ZnodeItem *item = itemOf(index);
        if (index.isValid() && item->isNode() && !item->open) // an open one is followed
            wantStat(*item);
    }
}

void ZnodeModel::wantStat(const ZnodeItem &item) const
{
    if (m_wanted.size() >= MaxStatsAtATime)
        return;
    m_wanted.insert(item.path());
    if (!m_askForWanted.isActive())
        m_askForWanted.start(0);
}

void ZnodeModel::showStats(const QList<ZnodeStat> &stats)
{
    for (const ZnodeStat &fresh : stats) {
        ZnodeItem *item = find(fresh.path);
        if (!item || item->open || fresh.condition != NodeCondition::Ok || item->stat == fresh.stat)
            continue;
        item->stat = fresh.stat;
        Q_EMIT dataChanged(indexOfItem(item), indexOfItem(item, ColumnCount - 1));
    }
}

QVariant ZnodeModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ZnodeItem &item = *itemOf(index);
    switch (role) {
    case Qt::DisplayRole:
        return text(item, index.column());
    case Qt::ToolTipRole:
        if (!item.isNode())
            return item.more ? tr("Scroll on or press Enter to show more") : QString();
        if (item.stat && zk::lifeOf(*item.stat) != zk::NodeLife::Persistent)
            return plainToolTip(tr("%1\nOwner: %2", "path of a znode, its owner")
                                    .arg(text::printable(item.path().bytes()), ownerWords(*item.stat)));
        return plainToolTip(text::printable(item.path().bytes()));
    case Qt::TextAlignmentRole:
        if (index.column() == ChildCount)
            return int(Qt::AlignRight | Qt::AlignVCenter);
        break;
    case ToneRole:
        if (!item.isNode() || index.column() == ChildCount)
            return int(Tone::Muted);
        if (item.stat && zk::sessionOf(*item.stat) != 0)
            return int(Tone::Waiting);
        break;
    case PathRole:
        return item.isNode() ? item.path().toString() : QString();
    case MoreRole:
        return item.more;
    case EphemeralRole:
        return item.isNode() && item.stat && zk::sessionOf(*item.stat) != 0;
    }
    return {};
}

QVariant ZnodeModel::text(const ZnodeItem &item, int column) const
{
    if (!item.isNode())
        return column == Name ? item.remark : QVariant();
    if (column == Name)
        return item.parent() == m_top.get() ? QStringLiteral("/") : text::printable(item.name());
    if (!item.stat) {
        wantStat(item);
        return {};
    }
    return item.stat->numChildren > 0 ? text::formatCount(item.stat->numChildren) : QString();
}

QVariant ZnodeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == ChildCount ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Node") : tr("Children");
}

Qt::ItemFlags ZnodeModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const bool selectable = itemOf(index)->isNode() || index.data(MoreRole).toBool();
    return selectable ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemFlags(Qt::ItemIsEnabled);
}

} // namespace drover::gui
