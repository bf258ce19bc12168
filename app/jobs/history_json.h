#pragma once

#include "app/cli/output.h"
#include "history/query.h"

namespace drover::app {

// A job of the history in the form of `show`, with its cluster and its run time.
QJsonObject entryJson(const history::ArchivedJob &entry);
QJsonObject groupJson(const history::GroupTotals &group, history::GroupBy by);
QJsonObject coverageJson(const history::Coverage &coverage);

extern const QList<Column> EntryColumns;
QList<Column> groupColumns(history::GroupBy by);

// One line: "12 jobs, 2024-05-01T12:00:00Z to ..., in host1:/srv/history.sqlite, kept by host1".
QString coverageText(const history::Coverage &coverage);

// CSV by RFC 4180, in UTF-8. The command is a JSON list.
QByteArray csvHeader();
QByteArray csvLine(const history::ArchivedJob &entry);

} // namespace drover::app
