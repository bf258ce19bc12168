#include "jobs/client/job_filter.h"

#include "text/instant.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace drover::jobs {

using namespace Qt::StringLiterals;

namespace {

// `*` and `?` as in a shell, but a slash is a character like any other.
bool matches(QStringView pattern, QStringView text)
{
    const auto letter = [&](qsizetype at) { return text[at].isHighSurrogate() && at + 1 < text.size() ? 2 : 1; };
    qsizetype at = 0;
    qsizetype star = -1; // the last one, and where the text goes on behind what it stands for
    qsizetype behind = 0;
    for (qsizetype i = 0; i < text.size();) {
        if (at < pattern.size() && pattern[at] == u'*') {
            star = at++;
            behind = i;
        } else if (at < pattern.size() && pattern[at] == u'?') {
            i += letter(i);
            ++at;
        } else if (at < pattern.size() && pattern[at] == text[i]) {
            ++i;
            ++at;
        } else if (star >= 0) {
            behind += letter(behind);
            i = behind;
            at = star + 1;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == u'*')
        ++at;
    return at == pattern.size();
}

bool setInstant(std::optional<std::chrono::milliseconds> &condition, const QString &value)
{
    const std::optional<std::chrono::milliseconds> instant = text::parseInstant(value);
    if (instant)
        condition = instant;
    return instant.has_value();
}

// Sets the condition of an option; false: there is none with this value.
bool set(JobFilter &filter, const QString &option, const QString &value)
{
    constexpr std::array States{JobState::Held,      JobState::Waiting, JobState::Ready,    JobState::Running,
                                JobState::Succeeded, JobState::Failed,  JobState::Cancelled};
    if (option == u"--queue")
        filter.queue = value.toUtf8();
    else if (option == u"--name")
        filter.name = value;
    else if (option == u"--tag")
        filter.tag = value;
    else if (option == u"--submitter")
        filter.submitter = value;
    else if (option == u"--worker")
        filter.worker = value;
    else if (option == u"--since" || option == u"--until")
        return setInstant(option == u"--since" ? filter.since : filter.until, value);
    else if (const auto state = std::find_if(States.begin(), States.end(),
                                             [&](JobState one) { return stateName(one) == value.toLower(); });
             state != States.end())
        filter.state = *state;
    else
        return false;
    return true;
}

bool isOption(const QString &word)
{
    constexpr std::array Options{u"--queue",     u"--name",   u"--tag",   u"--state",
                                 u"--submitter", u"--worker", u"--since", u"--until"};
    return std::any_of(Options.begin(), Options.end(), [&](QStringView option) { return word == option; });
}

QString unquoted(QString word)
{
    return word.remove(u'"').remove(u'\'');
}

} // namespace

JobFilter JobFilter::parse(const QString &line)
{
    static const QRegularExpression word(uR"((?:[^\s'"]|'[^']*'?|"[^"]*"?)+)"_s); // the last quote may be open
    JobFilter filter;
    QStringList rest;
    for (auto it = word.globalMatch(line); it.hasNext();) {
        const QString first = it.next().captured();
        const QString key = u"--"_s + first.section(u':', 0, 0).toLower();
        if (first.contains(u':') && isOption(key)) {
            const QString value = unquoted(first.section(u':', 1));
            if (!value.isEmpty() && !set(filter, key, value))
                rest << first;
            continue;
        }
        const bool hasValue = first.contains(u'=');
        const QString option = first.section(u'=', 0, 0);
        if (!isOption(option)) {
            rest << first;
            continue;
        }
        if (!hasValue && !it.hasNext())
            break;
        const QString value = hasValue ? first.section(u'=', 1) : it.next().captured();
        if (!set(filter, option, unquoted(value)))
            rest << option << value;
    }
    filter.words = rest.join(u' ');
    return filter;
}

bool JobFilter::fits(const QString &title, const QStringList &tags, const QString &submittedBy) const
{
    return (!name || matches(*name, title)) && (tag.isEmpty() || tags.contains(tag))
        && (submitter.isEmpty() || matches(submitter, submittedBy) || matches(submitter + u"@*"_s, submittedBy));
}

bool JobFilter::fitsRun(const QString &ranOn, std::optional<std::chrono::milliseconds> endedAt) const
{
    return (worker.isEmpty() || matches(worker, ranOn)) && (!since || (endedAt && *endedAt >= *since))
        && (!until || (endedAt && *endedAt < *until));
}

bool JobFilter::fits(const JobView &job) const
{
    if (!describes())
        return true;
    if (job.record)
        return fits(job.record->name, job.record->tags, job.record->submitter);
    return job.spec && fits(job.spec->title(), job.spec->tags, job.spec->submitter);
}

} // namespace drover::jobs
