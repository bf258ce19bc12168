#include "jobs/array_progress.h"

#include "jobs/count_text.h"
#include "jobs/job_id.h"
#include "jobs/json_fields.h"

#include <QJsonDocument>

#include <algorithm>

namespace drover::jobs {

namespace {

constexpr int Version = 1;
constexpr QLatin1String Field("progress");

QByteArray bytesOf(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

using Ranges = std::map<qint32, qint32>; // the last of each by its first

Ranges rangesOf(const std::set<qint32> &places)
{
    Ranges ranges;
    for (const qint32 place : places) {
        if (!ranges.empty() && ranges.rbegin()->second == place - 1)
            ranges.rbegin()->second = place;
        else
            ranges.emplace_hint(ranges.end(), place, place);
    }
    return ranges;
}

// "3,17-60"
QString toText(const Ranges &ranges)
{
    QStringList texts;
    for (const auto &[first, last] : ranges)
        texts.append(first == last ? QString::number(first) : QStringLiteral("%1-%2").arg(first).arg(last));
    return texts.join(u',');
}

// Within [begin, end).
Ranges rangesIn(const JsonFields &fields, const char *name, qint32 begin, qint32 end)
{
    Ranges ranges;
    const QStringList texts = fields.string(name).split(u',', Qt::SkipEmptyParts);
    for (const QString &text : texts) {
        const qsizetype hyphen = text.indexOf(u'-');
        const std::optional<qint32> first = parseNumber(QStringView(text).first(hyphen < 0 ? text.size() : hyphen));
        const std::optional<qint32> last = hyphen < 0 ? first : parseNumber(QStringView(text).mid(hyphen + 1));
        if (!first || !last || *first < begin || *last < *first || *last >= end)
            throw Malformed(QStringLiteral("field \"%1\": \"%2\" is no range of tasks").arg(QLatin1String(name), text));
        begin = *last + 1;
        ranges.emplace_hint(ranges.end(), *first, *last);
    }
    return ranges;
}

} // namespace

ArrayProgress ArrayProgress::of(const QByteArray &stored, const ArrayIndices &indices)
{
    ArrayProgress progress;
    const QJsonValue value = JsonFields(stored, Version).object().value(Field);
    if (value.isUndefined())
        return progress;
    const JsonFields fields(bytesOf(value.toObject()), Version);
    const qint32 count = indices.count();
    const auto number = [&](const char *name) { return static_cast<qint32>(fields.integer(name, 0, count, 0)); };
    progress.next = number("next");
    for (const auto &[first, last] : rangesIn(fields, "open", 0, progress.next)) {
        for (qint32 place = first; place <= last; ++place)
            progress.open.insert(progress.open.end(), place);
    }
    progress.skipped = rangesIn(fields, "skipped", progress.next, count);
    progress.ok = number("ok");
    progress.failed = number("failed");
    progress.cancelled = number("cancelled");
    progress.exitCode = static_cast<int>(fields.integer("code", 0, 255, 0));
    progress.begunAt = fields.milliseconds("begun_ms");
    if (qint64(progress.open.size()) + progress.ok + progress.failed + progress.cancelled != progress.next)
        throw Malformed(QStringLiteral("field \"progress\": its counts do not add up"));
    return progress;
}

QByteArray ArrayProgress::mergedInto(const QByteArray &bytes) const
{
    QJsonObject object = JsonFields(bytes, Version).object();
    const JsonWriter progress = JsonWriter(Version)
                                    .add("next", qint64(next))
                                    .add("open", toText(rangesOf(open)))
                                    .add("skipped", toText(skipped))
                                    .add("ok", qint64(ok))
                                    .add("failed", qint64(failed))
                                    .add("cancelled", qint64(cancelled))
                                    .add("code", qint64(exitCode))
                                    .add("begun_ms", begunAt);
    object.insert(Field, progress.object());
    return bytesOf(object);
}

std::vector<qint32> ArrayProgress::unfold(int limit, qint32 count)
{
    std::vector<qint32> places;
    while (next < count && static_cast<int>(places.size()) < limit) {
        const auto skip = skipped.find(next);
        if (skip != skipped.end()) {
            noteCancelled(skip->second - next + 1);
            next = skip->second + 1;
            skipped.erase(skip);
            continue;
        }
        places.push_back(next);
        open.insert(open.end(), next++);
    }
    return places;
}

qint32 ArrayProgress::skipIndices(qint32 first, qint32 last, const ArrayIndices &indices)
{
    return skip(indices.countBelow(first), indices.countBelow(qint64(last) + 1) - 1);
}

qint32 ArrayProgress::skip(qint32 first, qint32 last)
{
    first = std::max(first, next);
    if (last < first)
        return 0;
    const qint32 places = last - first + 1;
    std::erase_if(skipped, [&](const auto &range) {
        const bool touches = range.first <= last + 1 && first <= range.second + 1;
        if (touches) {
            first = std::min(first, range.first);
            last = std::max(last, range.second);
        }
        return touches;
    });
    skipped.emplace(first, last);
    return places;
}

void ArrayProgress::noteCancelled(qint32 tasks)
{
    cancelled += tasks;
    exitCode = tasks > 0 ? std::max(exitCode, 125) : exitCode;
}

void ArrayProgress::cancelRest(qint32 count)
{
    noteCancelled(count - next);
    skipped.clear();
    next = count;
}

void ArrayProgress::count(qint32 place, bool wasCancelled, int itsExitCode)
{
    open.erase(place);
    exitCode = std::max(exitCode, itsExitCode);
    ++(wasCancelled ? cancelled : itsExitCode == 0 ? ok : failed);
}

QString ArrayProgress::toString(qint32 count) const
{
    QString text = QStringLiteral("%1/%2").arg(counted()).arg(count);
    if (failed > 0)
        text += QStringLiteral(", %1 failed").arg(failed);
    if (cancelled > 0)
        text += QStringLiteral(", %1 cancelled").arg(cancelled);
    return text;
}

QString ArrayProgress::summary(qint32 count) const
{
    QString text = QStringLiteral("%1: %2 ok").arg(formatCount(count, "task", "tasks"), formatCount(ok));
    if (failed > 0)
        text += QStringLiteral(", %1 failed").arg(formatCount(failed));
    if (cancelled > 0)
        text += QStringLiteral(", %1 cancelled").arg(formatCount(cancelled));
    return text;
}

QByteArray taskOf(const QByteArray &stored, const ArrayIndices &indices)
{
    QJsonObject object = JsonFields(stored, Version).object();
    for (const char *name : {"array", "key", "after", "singleton", "was_singleton", "not_before_ms", "held_by",
                             "cancelled", "returned", "roomless", "pending", "began_last", "failed", "failed_code"})
        object.remove(QLatin1String(name));
    object.remove(Field);
    if (!object.contains(QLatin1String("gang"))) {
        if (!object.contains(QLatin1String("array_count"))) // else these are a part of another array's, once more
            object.insert(QLatin1String("array_count"), indices.count());
        return bytesOf(object);
    }
    for (const char *name : {"gang_rounds", "retries", "retry_on", "backoff_ms", "backoff_max_ms"})
        object.remove(QLatin1String(name)); // a gang is tried again as a whole
    return bytesOf(object);
}

} // namespace drover::jobs
