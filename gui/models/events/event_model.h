#pragma once

#include "gui/data/event_row.h"
#include "gui/models/snapshot_model.h"

#include <deque>

namespace drover::gui {

// The last MaxRows events, the oldest first.
class EventModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Time, Event, Subject, Queue, State, Detail, Columns };
    static constexpr qsizetype MaxRows = 10'000;

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : int(m_rows.size()); }
    int columnCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : Columns; }
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    const EventRow &row(int index) const { return m_rows[std::size_t(index)]; }
    // How many have left the table because newer ones came.
    qint64 left() const { return m_first; }

    static QString text(const EventRow &row, int column);

public Q_SLOTS:
    void add(const QList<drover::gui::EventRow> &events);
    void clear();

private:
    std::deque<EventRow> m_rows;
    qint64 m_first = 0; // the number of the first row in the whole stream
};

} // namespace drover::gui
