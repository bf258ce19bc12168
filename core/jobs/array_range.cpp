#include "jobs/array_range.h"

#include "jobs/job_id.h"
#include "jobs/json_fields.h"

#include <limits>

namespace drover::jobs {

namespace {

// Splits what follows the last `separator` off `text`.
std::optional<QStringView> cut(QStringView &text, QChar separator)
{
    const qsizetype place = text.indexOf(separator);
    if (place < 0)
        return std::nullopt;
    const QStringView rest = text.mid(place + 1);
    text = text.first(place);
    return rest;
}

} // namespace

std::optional<ArrayRange> ArrayRange::parse(const QString &text)
{
    QStringView rest = text;
    const std::optional<QStringView> limit = cut(rest, u'%');
    const std::optional<QStringView> step = cut(rest, u':');
    const std::optional<QStringView> last = cut(rest, u'-');
    const auto number = [](std::optional<QStringView> digits, std::optional<qint32> fallback) {
        return digits ? parseNumber(*digits) : fallback;
    };
    const std::optional<qint32> first = parseNumber(rest);
    const std::optional<qint32> end = number(last, first);
    const std::optional<qint32> stride = number(step, 1);
    const std::optional<qint32> atOnce = number(limit, 0);
    if (!first || !end || !stride || !atOnce || *end < *first || *stride < 1 || (limit && *atOnce < 1))
        return std::nullopt;
    const ArrayRange range{*first, *end, *stride, *atOnce};
    if (range.last == std::numeric_limits<qint32>::max() || range.count() > MaxCount)
        return std::nullopt;
    return range;
}

QString ArrayRange::toString() const
{
    QString text = QStringLiteral("%1-%2").arg(first).arg(last);
    if (step != 1)
        text += QStringLiteral(":%1").arg(step);
    if (limit > 0)
        text += QStringLiteral("%%1").arg(limit);
    return text;
}

ArrayRange arrayFrom(const QString &text)
{
    const std::optional<ArrayRange> range = ArrayRange::parse(text);
    if (!range)
        throw Malformed(QStringLiteral("field \"array\": \"%1\" is no range of indices").arg(text));
    return *range;
}

} // namespace drover::jobs
