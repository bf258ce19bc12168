#pragma once

#include <QAbstractTableModel>
#include <QHash>

namespace drover::gui {

// Whether the text of a cell is good or bad news; views show it as a colour and a dot.
enum class Tone { Plain, Muted, Good, Busy, Waiting, Bad };

enum ModelRole {
    ToneRole = Qt::UserRole + 1, // int(Tone); absent: plain
    DotRole, // int(Tone) of the dot, if not that of the text
    SortRole, // what to sort a column by
    MonospaceRole, // bool
    EntitiesRole, // QList<EntityRef>: what the row is, and then what it names
    LinkRole, // EntityRef: where the cell leads; absent: to no other thing than its row
    GroupRole, // QString: the title of the group that begins with that row; absent: none begins there
    GroupSizeRole, // QString: how many rows such a group has
    ShareRole, // double, 0 to 1: a bar beside the text that is full so far; absent: no bar
};

struct ColumnHeader {
    QString title;
    Qt::Alignment side = Qt::AlignLeft; // also of the cells: numbers stand to the right
};

// A table of the latest snapshot. A row keeps its place while it exists. Rows that have gone are removed and new rows
// are appended, in ranges, so that selection and scroll position survive. A sorting proxy decides on the order that
// people see. Row needs operator==; the subclass says what identifies a row, and what its cells hold.
template <typename Row, typename Key>
class SnapshotModel : public QAbstractTableModel
{
public:
    explicit SnapshotModel(QList<ColumnHeader> columns, QObject *parent = nullptr)
        : QAbstractTableModel(parent), m_columns(std::move(columns))
    {
    }

    int rowCount(const QModelIndex &parent = {}) const final { return parent.isValid() ? 0 : int(m_rows.size()); }
    int columnCount(const QModelIndex &parent = {}) const final { return parent.isValid() ? 0 : int(m_columns.size()); }
    const Row &row(int index) const { return m_rows[index]; }

    QVariant data(const QModelIndex &index, int role) const final
    {
        if (!this->checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
            return {};
        if (role == Qt::TextAlignmentRole)
            return alignmentOf(index.column());
        return cell(row(index.row()), index.column(), role);
    }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const final
    {
        if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
            return {};
        if (role == Qt::TextAlignmentRole)
            return alignmentOf(section);
        return role == Qt::DisplayRole ? m_columns[section].title : QVariant();
    }

protected:
    virtual Key keyOf(const Row &row) const = 0;
    // What data() gives, but for the alignment.
    virtual QVariant cell(const Row &row, int column, int role) const = 0;

    void apply(const QList<Row> &next)
    {
        QHash<Key, qsizetype> places;
        places.reserve(next.size());
        for (qsizetype i = 0; i < next.size(); ++i)
            places.insert(keyOf(next[i]), i);
        removeMissing(places);
        QList<bool> known(next.size(), false);
        update(next, places, known);
        append(next, places, known);
    }

    // Signals that the cells of a column changed although their rows did not.
    void touchColumn(int column)
    {
        if (!m_rows.isEmpty())
            Q_EMIT dataChanged(index(0, column), index(int(m_rows.size()) - 1, column));
    }

private:
    int alignmentOf(int column) const { return int(m_columns[column].side | Qt::AlignVCenter); }

    void removeMissing(const QHash<Key, qsizetype> &places)
    {
        const auto missing = [&](qsizetype i) { return !places.contains(keyOf(m_rows[i])); };
        for (qsizetype last = m_rows.size() - 1; last >= 0; --last) {
            if (!missing(last))
                continue;
            qsizetype first = last;
            while (first > 0 && missing(first - 1))
                --first;
            beginRemoveRows({}, int(first), int(last));
            m_rows.remove(first, last - first + 1);
            endRemoveRows();
            last = first;
        }
    }

    void update(const QList<Row> &next, const QHash<Key, qsizetype> &places, QList<bool> &known)
    {
        const auto replace = [&](qsizetype i) {
            const qsizetype place = places.value(keyOf(m_rows[i]));
            known[place] = true;
            if (m_rows[i] == next[place])
                return false;
            m_rows[i] = next[place];
            return true;
        };
        qsizetype first = -1; // of the run of changed rows that ends before i
        for (qsizetype i = 0; i <= m_rows.size(); ++i) {
            const bool changed = i < m_rows.size() && replace(i);
            if (changed && first < 0)
                first = i;
            if (!changed && first >= 0) {
                Q_EMIT dataChanged(index(int(first), 0), index(int(i) - 1, columnCount() - 1));
                first = -1;
            }
        }
    }

    void append(const QList<Row> &next, const QHash<Key, qsizetype> &places, const QList<bool> &known)
    {
        QList<Row> fresh;
        for (qsizetype i = 0; i < next.size(); ++i) {
            if (!known[i] && places.value(keyOf(next[i])) == i)
                fresh.append(next[i]);
        }
        if (fresh.isEmpty())
            return;
        beginInsertRows({}, int(m_rows.size()), int(m_rows.size() + fresh.size()) - 1);
        m_rows.append(fresh);
        endInsertRows();
    }

    const QList<ColumnHeader> m_columns;
    QList<Row> m_rows;
};

} // namespace drover::gui
