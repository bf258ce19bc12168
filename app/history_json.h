#pragma once

#include "app/output.h"
#include "history/query.h"

namespace drover::app {

// What the commands print of the history: a job as `show` prints it, with its cluster and how long it ran.
QJsonObject entryJson(const history::Entry &entry);
QJsonObject groupJson(const history::Group &group, history::GroupBy by);
QJsonObject coverageJson(const history::Coverage &coverage);

extern const QList<Column> EntryColumns;
QList<Column> groupColumns(history::GroupBy by);

// One line: "12 jobs, 2024-05-01T12:00:00Z to ..., in host1:/srv/history.sqlite, kept by host1".
QString coverageText(const history::Coverage &coverage);

// As RFC 4180 has it, in UTF-8, the command as a JSON list.
QByteArray csvHeader();
QByteArray csvLine(const history::Entry &entry);

} // namespace drover::app
