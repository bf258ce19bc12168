#include "app/jobs/name_tag_filter.h"

namespace drover::app {

namespace {

// `*` and `?` as in a shell, but for that a slash is a character as any other.
QRegularExpression wildcards(const QString &text)
{
    QString pattern = QRegularExpression::escape(text);
    pattern.replace(QStringLiteral("\\*"), QStringLiteral(".*")).replace(QStringLiteral("\\?"), QStringLiteral("."));
    return QRegularExpression(QRegularExpression::anchoredPattern(pattern),
                              QRegularExpression::DotMatchesEverythingOption);
}

} // namespace

QList<QCommandLineOption> NameTagFilter::options()
{
    return {
        option("name", "jobs of this name; * and ? stand for any characters", "JOB-NAME"),
        option("tag", "jobs with this tag", "TAG"),
        option("submitter", "jobs that this user has submitted: NAME or NAME@HOST", "USER"),
    };
}

NameTagFilter::NameTagFilter(const Arguments &arguments)
    : m_namePattern(arguments.value("name")), m_tag(arguments.value("tag")), m_submitter(arguments.value("submitter"))
{
    if (arguments.has("name"))
        m_name = wildcards(m_namePattern);
}

NameTagFilter NameTagFilter::ofTag(const QString &tag)
{
    NameTagFilter filter;
    filter.m_tag = tag;
    return filter;
}

bool NameTagFilter::fits(const QString &title, const QStringList &tags, const QString &submitter) const
{
    return (!m_name || m_name->match(title).hasMatch()) && (m_tag.isEmpty() || tags.contains(m_tag))
        && (m_submitter.isEmpty() || submitter == m_submitter || submitter.startsWith(m_submitter + u'@'));
}

bool NameTagFilter::fits(const jobs::JobView &job) const
{
    if (isEmpty())
        return true;
    if (job.record)
        return fits(job.record->name, job.record->tags, job.record->submitter);
    return job.spec && fits(job.spec->title(), job.spec->tags, job.spec->submitter);
}

void NameTagFilter::narrow(history::Query &query) const
{
    query.name = m_namePattern;
    query.tag = m_tag;
}

} // namespace drover::app
