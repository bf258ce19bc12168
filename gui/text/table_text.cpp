#include "gui/text/table_text.h"

#include "text/spreadsheet.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <functional>

namespace drover::gui {

namespace {

QString tabCell(QString cell)
{
    static const QRegularExpression breaks(QStringLiteral("[\\t\\r\\n]"));
    return cell.replace(breaks, QStringLiteral(" "));
}

QString csvCell(QString cell)
{
    static const QRegularExpression special(QStringLiteral("[\",\\r\\n]"));
    if (!cell.contains(special))
        return cell;
    return u'"' + cell.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

QString markdownCell(const QString &cell)
{
    static const QRegularExpression special(QStringLiteral("([\\\\|<>&`*_~\\[\\]])"));
    return tabCell(cell).replace(special, QStringLiteral("\\\\1"));
}

QString joined(const QStringList &cells, const QString &between, const std::function<QString(const QString &)> &write)
{
    QStringList written;
    for (const QString &cell : cells)
        written << write(cell);
    return written.join(between);
}

QStringList textsOf(const QVariantList &row)
{
    QStringList texts;
    for (const QVariant &cell : row)
        texts << cell.toString();
    return texts;
}

// None is a formula.
QStringList sheetTextsOf(const QVariantList &row)
{
    QStringList texts = textsOf(row);
    for (QString &cell : texts)
        cell = text::sheetText(cell);
    return texts;
}

QString tabs(const TextTable &table)
{
    QStringList lines;
    for (const QVariantList &row : table.rows)
        lines << joined(sheetTextsOf(row), QStringLiteral("\t"), tabCell);
    return lines.join(u'\n');
}

QString csv(const TextTable &table)
{
    QString text = joined(table.titles, QStringLiteral(","), csvCell) + QStringLiteral("\r\n");
    for (const QVariantList &row : table.rows)
        text += joined(sheetTextsOf(row), QStringLiteral(","), csvCell) + QStringLiteral("\r\n");
    return text;
}

QString json(const TextTable &table)
{
    QJsonArray rows;
    for (const QVariantList &row : table.rows) {
        QJsonObject object;
        for (qsizetype column = 0; column < row.size(); ++column)
            object[table.titles.at(column)] = QJsonValue::fromVariant(row.at(column));
        rows.append(object);
    }
    return QString::fromUtf8(QJsonDocument(rows).toJson());
}

QString markdown(const TextTable &table)
{
    const QString between = QStringLiteral(" | ");
    const auto line = [](const QString &cells) { return QStringLiteral("| %1 |\n").arg(cells); };
    QString text = line(joined(table.titles, between, markdownCell));
    text += line(QStringList(table.titles.size(), QStringLiteral("---")).join(between));
    for (const QVariantList &row : table.rows)
        text += line(joined(textsOf(row), between, markdownCell));
    return text;
}

} // namespace

QString tableText(const TextTable &table, TableFormat format)
{
    switch (format) {
    case TableFormat::Tabs:
        return tabs(table);
    case TableFormat::Csv:
        return csv(table);
    case TableFormat::Json:
        return json(table);
    case TableFormat::Markdown:
        return markdown(table);
    }
    return {};
}

} // namespace drover::gui
