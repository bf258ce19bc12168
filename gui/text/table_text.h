#pragma once

#include <QStringList>
#include <QVariantList>

namespace drover::gui {

// The rows of a table as they are shown, in the order in which they are shown.
struct TextTable {
    QStringList titles;
    QList<QVariantList> rows; // numbers, or what shows as text
};

// Tabs: the rows alone, as spreadsheets take them. Csv is that of RFC 4180. In neither is a cell a formula
// (text/spreadsheet.h). Json is an array of objects. In Markdown nothing of a cell acts as Markdown.
enum class TableFormat { Tabs, Csv, Json, Markdown };

QString tableText(const TextTable &table, TableFormat format);

} // namespace drover::gui
