#pragma once

#include "app/arguments.h"
#include "history/query.h"
#include "jobs/job_lookup.h"

#include <QRegularExpression>

namespace drover::app {

// What its submitter says of a job, as options of a command: the name, a tag, who it is. All that are given have to
// fit.
class DescriptionFilter
{
public:
    static QList<QCommandLineOption> options();

    DescriptionFilter() = default; // fits all
    explicit DescriptionFilter(const Arguments &arguments);

    bool isEmpty() const { return !m_name && m_tag.isEmpty() && m_submitter.isEmpty(); }
    bool fits(const QString &title, const QStringList &tags, const QString &submitter) const;
    // Nothing fits a job that cannot be read.
    bool fits(const jobs::JobView &job) const;

    // Makes a query find what fits, and perhaps more.
    void narrow(history::Query &query) const;

private:
    QString m_namePattern;
    std::optional<QRegularExpression> m_name; // the same
    QString m_tag;
    QString m_submitter;
};

} // namespace drover::app
