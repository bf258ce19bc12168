#include "gui/models/replay/listing_model.h"

#include "gui/text/format.h"
#include "text/printable.h"

namespace drover::gui {

namespace {

constexpr qsizetype MostNames = 40; // in a cell

QVariant textOf(const ListingRow &row, int column)
{
    switch (column) {
    case ListingModel::Path:
        return text::printable(row.path);
    case ListingModel::Children:
        return row.isRead ? QVariant(row.children) : QVariant();
    case ListingModel::Changes:
        return row.isRead ? QVariant(row.changes) : QVariant();
    case ListingModel::Names:
        return row.isRead ? row.names : ListingModel::tr("not there, or not readable");
    }
    return {};
}

} // namespace

ListingModel::ListingModel(QObject *parent)
    : SnapshotModel({{tr("Znode")},
                     {tr("Children"), Qt::AlignRight},
                     {tr("Changes"), Qt::AlignRight},
                     {tr("Names of the children")}},
                    parent)
{
}

void ListingModel::show(const QList<ZnodeListing> &listings)
{
    QList<ListingRow> rows;
    for (const ZnodeListing &listing : listings) {
        QStringList names;
        for (const QByteArray &name : listing.names.first(std::min(listing.names.size(), MostNames)))
            names << text::printable(name);
        if (listing.names.size() > MostNames)
            names << QStringLiteral("…");
        rows.append({listing.path.bytes(), listing.condition == NodeCondition::Ok, listing.stat.numChildren,
                     listing.stat.cversion, names.join(QStringLiteral(", "))});
    }
    apply(rows);
}

QVariant ListingModel::cell(const ListingRow &row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
    case SortRole:
        return textOf(row, column);
    case Qt::ToolTipRole:
        return plainToolTip(textOf(row, column).toString());
    case ToneRole:
        return row.isRead ? QVariant() : QVariant(int(Tone::Muted));
    case MonospaceRole:
        return column == Path;
    }
    return {};
}

} // namespace drover::gui
