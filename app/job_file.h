#pragma once

#include "jobs/job_spec.h"

#include <QHash>
#include <QJsonObject>

namespace drover::app {

// A job as a file describes it: a table in TOML, or an object in JSON, with the fields of jobFields() and "command", a
// list of texts. Relative paths in it are relative to the current directory, as in options.
class JobFile
{
public:
    static constexpr qint64 MaxSize = 1024 * 1024; // bytes: a specification is far smaller

    JobFile() = default; // says nothing

    // The text of the file `place`: JSON if it begins with a brace, as no TOML does. Throws UsageError, which says file,
    // line and field.
    static JobFile parse(const QByteArray &text, const QString &place);
    // One JSON object, which came from the file `place`, or from none.
    static JobFile parseJson(const QByteArray &text, const QString &place = {});

    // Throws UsageError.
    void applyTo(jobs::JobSpec &spec) const;

private:
    static JobFile parseToml(const QByteArray &text, const QString &path);
    QString where(const QString &field) const;

    QString m_place;
    QJsonObject m_fields;
    QHash<QString, int> m_lines; // of TOML's fields
};

} // namespace drover::app
