#include "gui/launch/launch_rows.h"

#include "gui/text/format.h"
#include "text/printable.h"

#include <algorithm>

namespace drover::gui {

namespace {

Tone toneOf(const QString &state)
{
    if (state == u"failed")
        return Tone::Bad;
    if (state == u"running")
        return Tone::Good;
    return state == u"working" ? Tone::Busy : Tone::Muted;
}

} // namespace

LaunchRow LaunchRow::of(const QJsonObject &line)
{
    const QString state = line[u"state"].toString();
    QString details = line[u"on"].toString();
    if (state == u"running")
        details = LaunchRows::tr("process %1, %2")
                      .arg(line[u"pid"].toVariant().toLongLong())
                      .arg(line[u"drover_version"].toString());
    const QString trouble = line[u"trouble"].toString();
    if (!trouble.isEmpty())
        details += (details.isEmpty() ? QString() : QStringLiteral("; ")) + trouble;
    return {text::printable(line[u"host"].toString()), state, text::printable(details)};
}

LaunchRows::LaunchRows(QObject *parent) : SnapshotModel({{tr("Host")}, {tr("State")}, {tr("Details")}}, parent) { }

void LaunchRows::put(const LaunchRow &row)
{
    QList<LaunchRow> rows = m_known;
    const auto known = std::find_if(rows.begin(), rows.end(), [&](const LaunchRow &r) { return r.host == row.host; });
    if (known == rows.end())
        rows.append(row);
    else
        *known = row;
    take(rows);
}

void LaunchRows::take(QList<LaunchRow> rows)
{
    m_known = std::move(rows);
    apply(m_known);
}

QVariant LaunchRows::cell(const LaunchRow &row, int column, int role) const
{
    const QString shown = column == Host ? row.host : column == State ? row.state : row.details;
    switch (role) {
    case Qt::DisplayRole:
    case SortRole:
        return shown;
    case Qt::ToolTipRole:
        return column == Details ? plainToolTip(shown) : QVariant();
    case DotRole:
        return column == Host ? QVariant(int(toneOf(row.state))) : QVariant();
    case ToneRole:
        return column == State ? QVariant(int(toneOf(row.state))) : QVariant();
    }
    return {};
}

} // namespace drover::gui
