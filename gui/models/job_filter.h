#pragma once

#include "jobs/model/job_state.h"

#include <QSortFilterProxyModel>

#include <set>

namespace drover::gui {

// The jobs in some states that contain a text in their id, name, command or worker, sorted.
class JobFilter final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit JobFilter(QObject *parent = nullptr);

    void setStates(std::set<jobs::JobState> states); // empty: all
    void setText(const QString &text);
    bool isFiltering() const { return !m_states.empty() || !m_text.isEmpty(); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    std::set<jobs::JobState> m_states;
    QString m_text;
};

} // namespace drover::gui
