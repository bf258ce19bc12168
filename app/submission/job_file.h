#pragma once

#include "jobs/model/job_spec.h"

#include <QHash>
#include <QJsonObject>

namespace drover::app {

// A job as a file describes it: a table in TOML, or an object in JSON, with the fields of jobFields() and "command", a
// list of texts. Relative paths in it are relative to the current directory, as in options.
class JobFile
{
public:
    static constexpr qint64 MaxSize = 1024 * 1024; // bytes: a specification is far smaller

    JobFile() = default; // without fields

    // Parses the text of the file `place`. It is JSON if it begins with a brace, because TOML never does. Throws
    // UsageError, which says file, line and field.
    static JobFile parse(const QByteArray &text, const QString &place);
    // Parses one JSON object. `place` is its file for messages, or empty.
    static JobFile parseJson(const QByteArray &text, const QString &place = {});

    // Throws UsageError.
    void applyTo(jobs::JobSpec &spec) const;

private:
    static JobFile parseToml(const QByteArray &text, const QString &path);
    QString where(const QString &field) const;

    QString m_place;
    QJsonObject m_fields;
    QHash<QString, int> m_lines; // the line of each TOML field
};

} // namespace drover::app
