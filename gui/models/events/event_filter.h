#pragma once

#include "gui/models/events/event_rule.h"

#include <QSortFilterProxyModel>

namespace drover::gui {

// The events that fit a rule, sorted.
class EventFilter final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit EventFilter(QObject *parent = nullptr);

    void setRule(const EventRule &rule);

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    EventRule m_rule;
};

} // namespace drover::gui
