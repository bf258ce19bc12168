#pragma once

#include "app/cli/arguments.h"
#include "app/cli/terminal.h"

#include <QJsonObject>
#include <QList>
#include <QStringList>

#include <cstdio>

namespace drover::app {

enum class Format { Table, Json, JsonLines };

// The form of one JSON field in a table.
struct Column {
    enum class Kind {
        Text, // strings; lists are joined, tables as NAME=VALUE, booleans are yes and no
        Number, // to the right
        Real, // like Number, with three digits
        Size, // bytes: 1.5M
        Time, // RFC 3339 shown as the time since then: 4m10s
        Duration, // milliseconds
        State, // coloured
    };

    const char *key;
    const char *title;
    Kind kind = Kind::Text;
    bool flexible = false; // cut first when the terminal is narrow
    int least = 8; // the width in characters below which a flexible column is not cut
    // If cutting is not enough, columns with a number here are left out, the lowest number first; 0: never.
    int leaveOut = 0;
};

// The output of a command: data on standard output in the form chosen by -o, messages on standard error. The data are
// JSON objects; a table is a view of them. Every JSON document has "schema": 1; in jsonl every line has it.
class Output
{
public:
    static constexpr int Schema = 1;

    explicit Output(Format format, std::FILE *data = stdout);

    Format format() const { return m_format; }
    bool isTable() const { return m_format == Format::Table; }
    const Terminal &terminal() const { return m_terminal; }

    // Prints rows. In json they are the member `name`, beside the members of `about`.
    void list(const char *name, const QList<Column> &columns, const QList<QJsonObject> &rows,
              const QJsonObject &about = {}) const;
    // Prints one object. As a table each column that it has is "title  value", wrapped to the width of a terminal. A
    // value with a word that is wider than the room there stands below its title.
    void object(const QList<Column> &columns, const QJsonObject &object) const;

    // Prints one object in JSON, even if -o asks for a table; on one line for jsonl.
    void document(const QJsonObject &object) const { json(object, m_format == Format::JsonLines); }

    // Prints one object of a stream as one line, also with -o json, because an endless document cannot be parsed.
    void event(const QJsonObject &object) const { json(object, true); }

    // Prints `text` and a line end, whatever the form.
    void line(const QString &text) const;
    // `text` in the colour of `state`, if colours are on.
    QString coloured(const QString &state, const QString &text) const;
    void bytes(const QByteArray &data) const;
    // Prints bytes that others wrote, and a line end. A terminal gets them as TerminalFilter shows them, unless `raw`.
    void foreignLine(const QByteArray &data, bool raw) const;

    // Prints "drover: text" on standard error.
    static void message(const QString &text);
    // Prints a message that scripts do not need, only if standard error is a terminal.
    static void hint(const QString &text);

private:
    void json(QJsonObject object, bool compact) const;
    QString cell(const Column &column, const QJsonValue &value) const;
    QList<int> widthsFor(const QList<Column> &columns, const QList<QStringList> &lines) const;
    QString rowText(const QList<Column> &columns, const QStringList &cells, const QList<int> &widths,
                    bool isColoured) const;
    void tellOfNoRoom(const QList<Column> &columns, const QList<int> &widths) const;

    Format m_format;
    std::FILE *m_data;
    Terminal m_terminal;
};

// --raw of the commands that print bytes of others.
QCommandLineOption rawOption();

// For commands without data of their own: throws UsageError if -o is given. `prints` names their output: "what the job
// writes".
void requireNoForm(const Arguments &arguments, const char *prints);

} // namespace drover::app
