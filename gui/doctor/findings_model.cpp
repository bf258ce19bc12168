#include "gui/doctor/findings_model.h"

#include "gui/text/format.h"
#include "text/printable.h"

#include <QJsonArray>

#include <algorithm>

namespace drover::gui {

namespace {

int rankOf(const QString &level)
{
    return level == u"problem" ? 0 : level == u"warning" ? 1 : 2;
}

QString titleOf(const QString &level)
{
    if (level == u"problem")
        return FindingsModel::tr("Problem");
    return level == u"warning" ? FindingsModel::tr("Warning") : FindingsModel::tr("Unknown");
}

} // namespace

FindingRow FindingRow::of(const QJsonObject &finding)
{
    const auto value = [&](QLatin1String key) { return text::printable(finding[key].toString()); };
    return {value(QLatin1String("level")), value(QLatin1String("subject")), value(QLatin1String("what")),
            value(QLatin1String("advice"))};
}

Tone FindingRow::tone() const
{
    if (level == u"problem")
        return Tone::Bad;
    return level == u"warning" ? Tone::Waiting : Tone::Muted;
}

FindingsModel::FindingsModel(QObject *parent)
    : SnapshotModel({{tr("Level")}, {tr("Subject")}, {tr("Finding")}, {tr("What to do")}}, parent)
{
}

void FindingsModel::take(const QJsonObject &answer)
{
    QList<FindingRow> rows;
    const QJsonArray findings = answer[u"findings"].toArray();
    for (const QJsonValue &finding : findings) {
        const FindingRow row = FindingRow::of(finding.toObject());
        if (row.level != u"ok" && !rows.contains(row))
            rows.append(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const FindingRow &a, const FindingRow &b) { return rankOf(a.level) < rankOf(b.level); });
    apply(rows);
}

int FindingsModel::count(const QString &level) const
{
    int count = 0;
    for (int i = 0; i < rowCount(); ++i)
        count += row(i).level == level ? 1 : 0;
    return count;
}

QString FindingsModel::keyOf(const FindingRow &row) const
{
    return row.level + u'\n' + row.subject + u'\n' + row.what + u'\n' + row.advice;
}

QVariant FindingsModel::cell(const FindingRow &row, int column, int role) const
{
    const QString texts[] = {titleOf(row.level), row.subject, row.what, row.advice};
    switch (role) {
    case SortRole:
        return column == Level ? QVariant(rankOf(row.level)) : QVariant(texts[column]);
    case Qt::DisplayRole:
        return texts[column];
    case Qt::ToolTipRole:
        return column >= What ? plainToolTip(texts[column]) : QVariant();
    case DotRole:
    case ToneRole:
        return column == Level ? QVariant(int(row.tone())) : QVariant();
    }
    return {};
}

} // namespace drover::gui
