#pragma once

#include "gui/models/snapshot_model.h"

#include <QJsonObject>

namespace drover::gui {

// A finding of `drover doctor`, each text printable.
struct FindingRow {
    QString level; // problem, warning or unknown
    QString subject; // "queue gpu"
    QString what;
    QString advice;

    // From an element of `findings` of `drover doctor -o json`.
    static FindingRow of(const QJsonObject &finding);
    Tone tone() const;

    friend bool operator==(const FindingRow &, const FindingRow &) = default;
};

// The findings that are not good news, problems first.
class FindingsModel final : public SnapshotModel<FindingRow, QString>
{
    Q_OBJECT

public:
    enum Column { Level, Subject, What, Advice };

    explicit FindingsModel(QObject *parent = nullptr);

    // Of an answer of `drover doctor -o json`; what is no such answer clears it.
    void take(const QJsonObject &answer);
    void clear() { take({}); }
    int count(const QString &level) const;

protected:
    QString keyOf(const FindingRow &row) const override;
    QVariant cell(const FindingRow &row, int column, int role) const override;
};

} // namespace drover::gui
