#include "jobs/model/array_indices.h"

#include "jobs/model/job_id.h"
#include "jobs/model/json_fields.h"

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

std::optional<qint32> number(std::optional<QStringView> digits, std::optional<qint32> fallback)
{
    return digits ? parseNumber(*digits) : fallback;
}

// "7", "1-9", "10-90:10"
std::optional<ArrayIndices::Part> partFrom(QStringView text)
{
    const std::optional<QStringView> step = cut(text, u':');
    const std::optional<QStringView> last = cut(text, u'-');
    const std::optional<qint32> first = parseNumber(text);
    const std::optional<qint32> end = number(last, first);
    const std::optional<qint32> stride = number(step, 1);
    if (!first || !end || !stride || *end < *first || *stride < 1 || *end == std::numeric_limits<qint32>::max())
        return std::nullopt;
    return ArrayIndices::Part{*first, *end, *stride};
}

} // namespace

ArrayIndices ArrayIndices::of(const std::vector<qint32> &indices)
{
    ArrayIndices made;
    for (std::size_t i = 0; i < indices.size();) {
        const auto distance = [&](std::size_t at) {
            return at + 1 < indices.size() ? indices[at + 1] - indices[at] : 0;
        };
        const qint32 step = distance(i);
        std::size_t last = i;
        while (step > 0 && distance(last) == step)
            ++last;
        if (last == i + 1 && step > 1)
            last = i; // two that are apart say nothing of a third
        made.parts.push_back({indices[i], indices[last], last > i ? step : 1});
        i = last + 1;
    }
    return made;
}

std::optional<ArrayIndices> ArrayIndices::parse(const QString &text)
{
    QStringView rest = text;
    const std::optional<QStringView> limit = cut(rest, u'%');
    const std::optional<qint32> atOnce = number(limit, 0);
    if (!atOnce || (limit && *atOnce < 1))
        return std::nullopt;
    ArrayIndices indices;
    indices.limit = *atOnce;
    qint64 count = 0;
    for (const QStringView &piece : rest.split(u',')) {
        const std::optional<Part> part = partFrom(piece);
        const bool ascends = part && (indices.parts.empty() || part->first > indices.parts.back().last);
        if (!ascends || indices.parts.size() == MaxParts)
            return std::nullopt;
        count += part->count();
        indices.parts.push_back(*part);
    }
    if (count > MaxCount)
        return std::nullopt;
    return indices;
}

QString ArrayIndices::toString() const
{
    QStringList texts;
    for (const Part &part : parts) {
        QString text = QString::number(part.first);
        if (part.last != part.first)
            text += QStringLiteral("-%1").arg(part.last);
        if (part.step != 1)
            text += QStringLiteral(":%1").arg(part.step);
        texts.append(text);
    }
    const QString text = texts.join(u',');
    return limit > 0 ? QStringLiteral("%1%%2").arg(text).arg(limit) : text;
}

qint32 ArrayIndices::count() const
{
    qint32 sum = 0;
    for (const Part &part : parts)
        sum += part.count();
    return sum;
}

qint32 ArrayIndices::at(qint32 place) const
{
    std::size_t i = 0;
    while (i + 1 < parts.size() && place >= parts[i].count())
        place -= parts[i++].count();
    return parts[i].first + place * parts[i].step;
}

qint32 ArrayIndices::countBelow(qint64 index) const
{
    qint32 below = 0;
    for (const Part &part : parts) {
        if (index > part.last)
            below += part.count();
        else if (index > part.first)
            below += static_cast<qint32>((index - part.first + part.step - 1) / part.step);
    }
    return below;
}

std::optional<qint32> ArrayIndices::placeOf(qint32 index) const
{
    const qint32 place = countBelow(index);
    return place < count() && at(place) == index ? std::optional(place) : std::nullopt;
}

ArrayIndices arrayFrom(const QString &text)
{
    const std::optional<ArrayIndices> indices = ArrayIndices::parse(text);
    if (!indices)
        throw Malformed(QStringLiteral("field \"array\": \"%1\" is not a list of indices").arg(text));
    return *indices;
}

} // namespace drover::jobs
