#pragma once

#include "jobs/model/job_spec.h"

#include <QHash>
#include <QJsonObject>

namespace drover::app {

// A job as a file describes it: a table in TOML, or an object in JSON. It has the keys of jobFields() and "command", a
// list of texts. The names of options are understood as well, and hyphens for underscores. Relative paths in it are
// relative to the current directory, as in options.
class JobFile
{
public:
    static constexpr qint64 MaxSize = 1024 * 1024; // bytes: a specification is far smaller

    JobFile() = default; // without fields

    // Parses the text of the file `place`. It is JSON if it begins with a brace, because TOML never does. Throws
    // UsageError, which says file, line and field.
    static JobFile parse(const QByteArray &text, const QString &place);
    // Parses one JSON object. `place` is its file for messages, or empty. What `drover show -o json` prints is read as
    // its member `job`.
    static JobFile parseJson(const QByteArray &text, const QString &place = {});

    // Throws UsageError, which names all fields that are wrong, ten at most.
    void applyTo(jobs::JobSpec &spec) const;

    bool has(const QString &field) const { return m_fields.contains(field); }
    // For messages: "file:line: field", as the file has it.
    QString where(const QString &field) const;

private:
    static JobFile parseToml(const QByteArray &text, const QString &path);
    void add(const QString &typed, const QJsonValue &value, int line);
    void apply(jobs::JobSpec &spec, const QString &name, const QJsonValue &value) const;

    struct Origin {
        QString typed; // the field's name as the file has it
        int line = 0; // 0: unknown, as in JSON
    };

    QString m_place;
    QJsonObject m_fields; // by the names of the options
    QHash<QString, Origin> m_origins;
};

} // namespace drover::app
