#include "app/cli/output.h"

#include "app/cli/failure.h"
#include "app/cli/table_widths.h"
#include "text/printable.h"
#include "text/quantity.h"
#include "text/terminal_filter.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include <unistd.h>

namespace drover::app {

namespace {

constexpr int Gap = 2;
constexpr int MinRoom = 20; // of the values of one object

QString padded(const QString &text, int width, bool right)
{
    const QString space(std::max(0, width - displayWidth(text)), QLatin1Char(' '));
    return right ? space + text : text + space;
}

bool isRight(const Column &column)
{
    return column.kind == Column::Kind::Number || column.kind == Column::Kind::Size || column.kind == Column::Kind::Real
        || column.kind == Column::Kind::Duration;
}

QString age(const QString &time)
{
    const QDateTime then = QDateTime::fromString(time, Qt::ISODateWithMs);
    if (!then.isValid())
        return {};
    const qint64 passed = std::max<qint64>(0, then.msecsTo(QDateTime::currentDateTimeUtc()));
    return text::formatDuration(std::chrono::seconds(passed / 1000));
}

int widestWord(const QString &text)
{
    int widest = 0;
    for (const QString &word : text.split(u' '))
        widest = std::max(widest, displayWidth(word));
    return widest;
}

QString joined(const QJsonArray &array)
{
    QStringList parts;
    for (const QJsonValue value : array)
        parts.append(value.toVariant().toString());
    return parts.join(QLatin1Char(' '));
}

QString joined(const QJsonObject &table)
{
    QStringList parts;
    for (auto member = table.begin(); member != table.end(); ++member)
        parts.append(member.key() + u'=' + member.value().toString());
    return parts.join(QLatin1Char(' '));
}

} // namespace

Output::Output(Format format, std::FILE *data)
    : m_format(format), m_data(data), m_terminal(Terminal::of(::fileno(data)))
{
}

QString Output::cell(const Column &column, const QJsonValue &value) const
{
    if (value.isUndefined() || value.isNull())
        return QStringLiteral("-");
    switch (column.kind) {
    case Column::Kind::Real:
        if (value.isDouble())
            return QString::number(value.toDouble(), 'f', value.toDouble() < 10 ? 2 : value.toDouble() < 100 ? 1 : 0);
        break;
    case Column::Kind::Size:
        return text::formatSize(value.toInteger());
    case Column::Kind::Duration:
        return text::formatDuration(std::chrono::milliseconds(value.toInteger()));
    case Column::Kind::Time:
        return age(value.toString());
    default:
        break;
    }
    if (value.isBool())
        return value.toBool() ? QStringLiteral("yes") : QStringLiteral("no");
    if (value.isDouble()) {
        const double number = value.toDouble();
        return number == std::floor(number) ? QString::number(value.toInteger()) : QString::number(number, 'f', 2);
    }
    const QString text = value.isArray() ? joined(value.toArray())
        : value.isObject()               ? joined(value.toObject())
                                         : value.toString();
    return text.isEmpty() ? QStringLiteral("-") : text::printable(text);
}

QString Output::coloured(const QString &state, const QString &text) const
{
    const char *colour = state == u"succeeded" ? "32" : state == u"running" ? "36" : state == u"ready" ? "33" : nullptr;
    if (state == u"ok")
        colour = "32";
    if (state == u"warning" || state == u"held")
        colour = "33";
    if (state == u"failed" || state == u"malformed" || state == u"problem")
        colour = "31";
    if (!m_terminal.colour || !colour)
        return text;
    return QStringLiteral("\x1b[%1m%2\x1b[0m").arg(QLatin1String(colour), text);
}

void Output::list(const char *name, const QList<Column> &columns, const QList<QJsonObject> &rows,
                  const QJsonObject &about) const
{
    if (m_format == Format::Json) {
        QJsonObject document = about;
        QJsonArray array;
        for (const QJsonObject &row : rows)
            array.append(row);
        document.insert(QLatin1String(name), array);
        json(document, false);
        return;
    }
    if (m_format == Format::JsonLines) {
        for (const QJsonObject &row : rows)
            json(row, true);
        return;
    }

    QList<QStringList> lines{{}};
    for (const Column &column : columns)
        lines.first().append(QLatin1String(column.title));
    for (const QJsonObject &row : rows) {
        QStringList cells;
        for (const Column &column : columns)
            cells.append(cell(column, row.value(QLatin1String(column.key))));
        lines.append(cells);
    }
    const QList<int> widths = widthsFor(columns, lines);
    for (qsizetype l = 0; l < lines.size(); ++l) {
        const QString text = rowText(columns, lines[l], widths, l > 0);
        line(l == 0 && m_terminal.colour ? QStringLiteral("\x1b[1m%1\x1b[0m").arg(text) : text);
    }
    if (m_terminal.width > 0)
        tellOfNoRoom(columns, widths);
}

// On no terminal each column has all the room that it needs.
QList<int> Output::widthsFor(const QList<Column> &columns, const QList<QStringList> &lines) const
{
    QList<ColumnWidth> needs;
    QList<int> widths;
    for (qsizetype c = 0; c < columns.size(); ++c) {
        int width = 0;
        for (const QStringList &line : lines)
            width = std::max(width, displayWidth(line[c]));
        widths.append(width);
        needs.append({width, columns[c].flexible ? columns[c].least : width, columns[c].leaveOut});
    }
    return m_terminal.width > 0 ? fittedWidths(needs, m_terminal.width, Gap) : widths;
}

QString Output::rowText(const QList<Column> &columns, const QStringList &cells, const QList<int> &widths,
                        bool isColoured) const
{
    const qsizetype last = widths.size() - 1
        - std::distance(widths.rbegin(), std::find_if(widths.rbegin(), widths.rend(), [](int w) { return w > 0; }));
    QString text;
    for (qsizetype c = 0; c <= last; ++c) {
        if (widths[c] == 0)
            continue;
        QString shown = m_terminal.width > 0 ? elided(cells[c], widths[c]) : cells[c];
        if (c < last || isRight(columns[c]))
            shown = padded(shown, widths[c], isRight(columns[c]));
        text += isColoured && columns[c].kind == Column::Kind::State ? coloured(cells[c], shown) : shown;
        if (c < last)
            text += QString(Gap, QLatin1Char(' '));
    }
    return text;
}

void Output::tellOfNoRoom(const QList<Column> &columns, const QList<int> &widths) const
{
    QStringList leftOut;
    int total = -Gap;
    for (qsizetype c = 0; c < columns.size(); ++c) {
        if (widths[c] == 0)
            leftOut.append(QLatin1String(columns[c].title));
        else
            total += widths[c] + Gap;
    }
    if (total > m_terminal.width)
        hint(QStringLiteral("the table needs %1 columns, and this terminal has %2; make it wider, or say -o json")
                 .arg(total)
                 .arg(m_terminal.width));
    else if (!leftOut.isEmpty())
        hint(QStringLiteral("left out for want of room: %1; make the terminal wider, or say -o json")
                 .arg(leftOut.join(QStringLiteral(", "))));
}

void Output::object(const QList<Column> &columns, const QJsonObject &object) const
{
    if (!isTable()) {
        json(object, m_format == Format::JsonLines);
        return;
    }
    int width = 0;
    for (const Column &column : columns) {
        if (object.contains(QLatin1String(column.key)))
            width = std::max(width, displayWidth(QLatin1String(column.title)));
    }
    for (const Column &column : columns) {
        const QJsonValue value = object.value(QLatin1String(column.key));
        if (value.isUndefined())
            continue;
        QString text = cell(column, value);
        if (column.kind == Column::Kind::Time)
            text = QStringLiteral("%1 (%2 ago)").arg(value.toString(), text);
        QString title = QLatin1String(column.title);
        int begin = width + Gap;
        int room = m_terminal.width > 0 ? std::max(MinRoom, m_terminal.width - begin) : 0;
        const bool fits = room == 0 || displayWidth(text) <= room;
        if (const int widest = widestWord(text); !fits && widest > room) { // below the title, where it may stay whole
            line(std::exchange(title, {}));
            begin = std::clamp(m_terminal.width - widest, 0, Gap);
            room = std::max(MinRoom, m_terminal.width - begin);
        }
        for (const QString &part : fits ? QStringList(text) : wrapped(text, room)) {
            const QString shown = column.kind == Column::Kind::State ? coloured(text, part) : part;
            line(padded(std::exchange(title, {}), begin, false) + shown);
        }
    }
}

void Output::json(QJsonObject object, bool compact) const
{
    object.insert(QLatin1String("schema"), Schema);
    QByteArray text = QJsonDocument(object).toJson(compact ? QJsonDocument::Compact : QJsonDocument::Indented);
    if (compact)
        text += '\n';
    bytes(text::printableJson(text));
}

void Output::line(const QString &text) const
{
    bytes(text.toUtf8() + '\n');
}

void Output::bytes(const QByteArray &data) const
{
    const bool written = std::fwrite(data.constData(), 1, static_cast<std::size_t>(data.size()), m_data)
            == static_cast<std::size_t>(data.size())
        && std::fflush(m_data) == 0;
    if (!written)
        throw CommandError(
            ExitError,
            QStringLiteral("cannot write to standard output: %1").arg(QString::fromLocal8Bit(std::strerror(errno))));
}

void Output::foreignLine(const QByteArray &data, bool raw) const
{
    text::TerminalFilter filter;
    const bool filtered = m_terminal.isTerminal && !raw;
    bytes((filtered ? filter.pass(data) + filter.finish() : data) + '\n');
}

void Output::message(const QString &text)
{
    std::fprintf(stderr, "drover: %s\n", text::printable(text).toLocal8Bit().constData());
}

void Output::hint(const QString &text)
{
    if (Terminal::of(STDERR_FILENO).isTerminal)
        message(text);
}

QCommandLineOption rawOption()
{
    return option("raw", "give a terminal all bytes as they are, control characters too");
}

void requireNoForm(const Arguments &arguments, const char *prints)
{
    if (arguments.has("output") && arguments.value("output") != u"table")
        throw UsageError(QStringLiteral("-o %1 has no meaning here: the command prints %2")
                             .arg(arguments.value("output"), QString::fromUtf8(prints)));
}

} // namespace drover::app
