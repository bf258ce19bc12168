#include "jobs/model/job_id.h"

#include "text/name.h"

namespace drover::jobs {

bool JobRange::covers(const JobId &id) const
{
    if (id.queue != first.queue)
        return false;
    if (!first.isTask())
        return id.number >= first.number && id.number <= last;
    return id.number == first.number && id.task >= first.task && id.task <= last;
}

QString JobRange::toString() const
{
    const QString begin = first.toString();
    const bool isOne = last == (first.isTask() ? first.task : first.number);
    return isOne ? begin : QStringLiteral("%1..%2").arg(begin).arg(last);
}

std::optional<qint32> parseNumber(QStringView digits)
{
    const bool canonical = !digits.isEmpty()
        && std::all_of(digits.begin(), digits.end(), [](QChar c) { return c >= u'0' && c <= u'9'; })
        && (digits.size() == 1 || digits.front() != u'0');
    bool ok = false;
    const qint32 number = digits.toInt(&ok);
    if (!canonical || !ok)
        return std::nullopt;
    return number;
}

std::optional<JobId> JobId::parse(const QString &text)
{
    const qsizetype hyphen = text.lastIndexOf(u'-');
    if (hyphen < 1 || !text::isName(text.left(hyphen)))
        return std::nullopt;
    const QStringView numbers = QStringView(text).mid(hyphen + 1);
    const qsizetype dot = numbers.indexOf(u'.');
    const std::optional<qint32> number = parseNumber(dot < 0 ? numbers : numbers.first(dot));
    const std::optional<qint32> task = dot < 0 ? NoTask : parseNumber(numbers.mid(dot + 1));
    if (!number || !task)
        return std::nullopt;
    return JobId{text.left(hyphen).toLatin1(), *number, *task};
}

QString idText(const std::optional<JobId> &id)
{
    return id ? id->toString() : QString();
}

} // namespace drover::jobs
