#include "jobs/array_progress.h"

#include "jobs/job_id.h"
#include "jobs/json_fields.h"

#include <QJsonDocument>
#include <QLocale>

#include <algorithm>

namespace drover::jobs {

namespace {

constexpr int Version = 1;
constexpr QLatin1String Field("progress");

QByteArray bytesOf(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

// "3,17-60"
QString toRanges(const std::set<qint32> &places)
{
    QStringList ranges;
    for (auto it = places.begin(); it != places.end();) {
        const qint32 first = *it;
        qint32 last = first;
        while (++it != places.end() && *it == last + 1)
            ++last;
        ranges.append(first == last ? QString::number(first) : QStringLiteral("%1-%2").arg(first).arg(last));
    }
    return ranges.join(u',');
}

std::set<qint32> fromRanges(const QString &text, qint32 end)
{
    std::set<qint32> places;
    const QStringList ranges = text.split(u',', Qt::SkipEmptyParts);
    for (const QString &range : ranges) {
        const qsizetype hyphen = range.indexOf(u'-');
        const std::optional<qint32> first = parseNumber(QStringView(range).first(hyphen < 0 ? range.size() : hyphen));
        const std::optional<qint32> last = hyphen < 0 ? first : parseNumber(QStringView(range).mid(hyphen + 1));
        if (!first || !last || *last < *first || *last >= end)
            throw Malformed(QStringLiteral("field \"open\": \"%1\" is no range of tasks").arg(range));
        for (qint32 place = *first; place <= *last; ++place)
            places.insert(place);
    }
    return places;
}

} // namespace

ArrayProgress ArrayProgress::of(const QByteArray &stored, const ArrayRange &range)
{
    ArrayProgress progress;
    const QJsonValue value = JsonFields(stored, Version).object().value(Field);
    if (value.isUndefined())
        return progress;
    const JsonFields fields(bytesOf(value.toObject()), Version);
    const qint32 count = range.count();
    const auto number = [&](const char *name) { return static_cast<qint32>(fields.integer(name, 0, count, 0)); };
    progress.next = number("next");
    progress.open = fromRanges(fields.string("open"), progress.next);
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
                                    .add("open", toRanges(open))
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
    for (; next < count && static_cast<int>(places.size()) < limit; ++next) {
        places.push_back(next);
        open.insert(open.end(), next);
    }
    return places;
}

void ArrayProgress::cancelRest(qint32 count)
{
    cancelled += count - next;
    exitCode = next < count ? std::max(exitCode, 125) : exitCode;
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
    const QLocale english(QLocale::English);
    QString text = QStringLiteral("%1 %2: %3 ok")
                       .arg(english.toString(count), count == 1 ? QStringLiteral("task") : QStringLiteral("tasks"),
                            english.toString(ok));
    if (failed > 0)
        text += QStringLiteral(", %1 failed").arg(english.toString(failed));
    if (cancelled > 0)
        text += QStringLiteral(", %1 cancelled").arg(english.toString(cancelled));
    return text;
}

QByteArray taskOf(const QByteArray &stored, const ArrayRange &range)
{
    QJsonObject object = JsonFields(stored, Version).object();
    for (const char *name :
         {"array", "key", "after", "singleton", "not_before_ms", "held_by", "cancelled", "returned", "failed"})
        object.remove(QLatin1String(name));
    object.remove(Field);
    if (!object.contains(QLatin1String("gang"))) {
        object.insert(QLatin1String("array_count"), range.count());
        return bytesOf(object);
    }
    for (const char *name : {"gang_rounds", "retries", "retry_on", "backoff_ms", "backoff_max_ms"})
        object.remove(QLatin1String(name)); // a gang is tried again as a whole
    return bytesOf(object);
}

} // namespace drover::jobs
