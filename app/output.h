#pragma once

#include "app/terminal.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QList>

#include <cstdio>

namespace drover::app {

enum class Format { Table, Json, JsonLines };

// How one field of a JSON object looks in a table.
struct Column {
    enum class Kind {
        Text, // strings as they are, lists joined, truth as yes and no
        Number, // to the right
        Real, // the same, with three digits
        Size, // bytes: 1.5M
        Time, // RFC 3339 shown as the time since then: 4m10s
        Duration, // milliseconds
        State, // coloured
    };

    const char *key;
    const char *title;
    Kind kind = Kind::Text;
    bool flexible = false; // cut first when the terminal is narrow
};

// What a command says: data on standard output in the form that -o chose, messages on standard error. The JSON objects
// are the data; a table is a view of them. Every JSON document has "schema": 1, in jsonl every line has it.
class Output
{
public:
    static constexpr int Schema = 1;

    explicit Output(Format format, std::FILE *data = stdout);

    Format format() const { return m_format; }
    bool isTable() const { return m_format == Format::Table; }
    const Terminal &terminal() const { return m_terminal; }

    // Rows under the member `name`; beside it, in json, what `about` holds.
    void list(const char *name, const QList<Column> &columns, const QList<QJsonObject> &rows,
              const QJsonObject &about = {}) const;
    // One object; as a table, a "title  value" line for each column that it has.
    void object(const QList<Column> &columns, const QJsonObject &object) const;

    // One object in JSON, whatever -o says; on one line for jsonl.
    void document(const QJsonObject &object) const { json(object, m_format == Format::JsonLines); }

    // One of a stream: a line of its own, also where json was asked for, since an endless document could not be read.
    void event(const QJsonObject &object) const { json(object, true); }

    void line(const QString &text) const;
    // `text` in the colour of that state, where there are colours.
    QString coloured(const QString &state, const QString &text) const;
    void bytes(const QByteArray &data) const;

    // "drover: text" on standard error.
    static void message(const QString &text);
    // Only if standard error is a terminal: what a script need not know.
    static void hint(const QString &text);

private:
    void json(QJsonObject object, bool compact) const;
    QString cell(const Column &column, const QJsonValue &value) const;

    Format m_format;
    std::FILE *m_data;
    Terminal m_terminal;
};

} // namespace drover::app
