#pragma once

#include "app/cli/arguments.h"
#include "history/query.h"
#include "jobs/client/job_lookup.h"

#include <QRegularExpression>

namespace drover::app {

// The options that filter jobs by their name, a tag and their submitter. A job must match all given options.
class NameTagFilter
{
public:
    static QList<QCommandLineOption> options();

    NameTagFilter() = default; // matches all jobs
    explicit NameTagFilter(const Arguments &arguments);
    static NameTagFilter ofTag(const QString &tag);

    bool isEmpty() const { return !m_name && m_tag.isEmpty() && m_submitter.isEmpty(); }
    bool fits(const QString &title, const QStringList &tags, const QString &submitter) const;
    // Never true for a job that could not be read.
    bool fits(const jobs::JobView &job) const;

    // Adds conditions to a query, which then finds all matching jobs, and perhaps others.
    void narrow(history::Query &query) const;

private:
    QString m_namePattern;
    std::optional<QRegularExpression> m_name; // not set: any name
    QString m_tag;
    QString m_submitter;
};

} // namespace drover::app
