#pragma once

#include "gui/data/snapshots.h"

#include <QSortFilterProxyModel>

namespace drover::gui {

// The jobs that fit a search, sorted.
class JobFilter final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit JobFilter(QObject *parent = nullptr);

    void search(const JobSearch &search);
    // Tasks of arrays are left out as a rule, so that alone does not count.
    bool isFiltering() const { return !m_search.states.empty() || !m_search.text.isEmpty(); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    JobSearch m_search;
};

} // namespace drover::gui
