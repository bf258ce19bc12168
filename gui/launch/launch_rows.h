#pragma once

#include "gui/models/snapshot_model.h"

#include <QJsonObject>

namespace drover::gui {

// How far a host is.
struct LaunchRow {
    QString host;
    QString state; // working, running, stopped, failed or waiting
    QString details; // what is being done, the process, or why it failed

    // From a line of `drover launch -o jsonl`. The host is empty if it is no such line.
    static LaunchRow of(const QJsonObject &line);

    friend bool operator==(const LaunchRow &, const LaunchRow &) = default;
};

// The hosts of a launch, in the order in which they were first heard of.
class LaunchRows final : public SnapshotModel<LaunchRow, QString>
{
    Q_OBJECT

public:
    enum Column { Host, State, Details };

    explicit LaunchRows(QObject *parent = nullptr);

    void clear() { take({}); }
    void put(const LaunchRow &row); // in the place of what was known of its host

protected:
    QString keyOf(const LaunchRow &row) const override { return row.host; }
    QVariant cell(const LaunchRow &row, int column, int role) const override;

private:
    void take(QList<LaunchRow> rows);

    QList<LaunchRow> m_known;
};

} // namespace drover::gui
