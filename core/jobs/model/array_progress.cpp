#include "jobs/model/array_progress.h"

#include "jobs/model/job_id.h"
#include "text/quantity.h"

#include <algorithm>

namespace drover::jobs {

namespace {

constexpr const char *ProgressField = "progress";

using Ranges = PlaceSet::Ranges;

// "3,17-60"
QString toText(const Ranges &ranges)
{
    QStringList texts;
    for (const auto &[first, last] : ranges)
        texts.append(first == last ? QString::number(first) : QStringLiteral("%1-%2").arg(first).arg(last));
    return texts.join(u',');
}

// The ranges of a text that toText() has written, all within [begin, end).
Ranges rangesFrom(const QString &written, const char *name, qint32 begin, qint32 end)
{
    Ranges ranges;
    const QStringList texts = written.split(u',', Qt::SkipEmptyParts);
    for (const QString &text : texts) {
        const qsizetype hyphen = text.indexOf(u'-');
        const std::optional<qint32> first = parseNumber(QStringView(text).first(hyphen < 0 ? text.size() : hyphen));
        const std::optional<qint32> last = hyphen < 0 ? first : parseNumber(QStringView(text).mid(hyphen + 1));
        if (!first || !last || *first < begin || *last < *first || *last >= end)
            throw Malformed(
                QStringLiteral("field \"%1\": \"%2\" is not a range of tasks").arg(QLatin1String(name), text));
        begin = *last + 1;
        ranges.emplace_hint(ranges.end(), *first, *last);
    }
    return ranges;
}

// What works through the open tasks, one after the other, would stand still for a million of them.
PlaceSet openFrom(const QString &text, qint32 end)
{
    const PlaceSet places = PlaceSet::parse(text, "open", end);
    if (places.size() > ArrayProgress::MaxOpen)
        throw Malformed(QStringLiteral("field \"progress\": more than %1 tasks are open").arg(ArrayProgress::MaxOpen));
    return places;
}

} // namespace

QString PlaceSet::toString() const
{
    return toText(m_ranges);
}

PlaceSet PlaceSet::parse(const QString &text, const char *name, qint32 end)
{
    return PlaceSet(rangesFrom(text, name, 0, end));
}

PlaceSet::Iterator::Iterator(Ranges::const_iterator range, Ranges::const_iterator end)
    : m_range(range), m_end(end), m_place(range == end ? 0 : range->first)
{
}

PlaceSet::Iterator &PlaceSet::Iterator::operator++()
{
    if (m_place < m_range->second)
        ++m_place;
    else
        *this = Iterator(std::next(m_range), m_end);
    return *this;
}

PlaceSet::PlaceSet(std::initializer_list<qint32> ascending)
{
    for (const qint32 place : ascending)
        append(place);
}

PlaceSet::PlaceSet(const Ranges &ranges)
{
    for (const auto &[first, last] : ranges)
        append(first, last);
}

PlaceSet::Ranges::const_iterator PlaceSet::rangeOf(qint32 place) const
{
    const auto next = m_ranges.upper_bound(place);
    const auto range = next == m_ranges.begin() ? m_ranges.end() : std::prev(next);
    return range != m_ranges.end() && place <= range->second ? range : m_ranges.end();
}

bool PlaceSet::contains(qint32 place) const
{
    return rangeOf(place) != m_ranges.end();
}

void PlaceSet::append(qint32 place)
{
    append(place, place);
}

void PlaceSet::append(qint32 first, qint32 last)
{
    if (!m_ranges.empty() && m_ranges.rbegin()->second == first - 1)
        m_ranges.rbegin()->second = last;
    else
        m_ranges.emplace_hint(m_ranges.end(), first, last);
    m_size += last - first + 1;
}

void PlaceSet::erase(qint32 place)
{
    const auto range = rangeOf(place);
    if (range == m_ranges.end())
        return;
    const auto [first, last] = *range;
    m_ranges.erase(range);
    if (first < place)
        m_ranges.emplace(first, place - 1);
    if (place < last)
        m_ranges.emplace(place + 1, last);
    --m_size;
}

template <class Fields, class Record>
void ArrayProgress::fields(Fields &each, Record &progress)
{
    constexpr Bounds Tasks{0, ArrayIndices::MaxCount};
    each("next", progress.next, Tasks);
    each.as(
        "open", progress.open, [](const PlaceSet &places) { return places.toString(); },
        [&](const QString &text) { return openFrom(text, progress.next); });
    each.as("skipped", progress.skipped, toText,
            [&](const QString &text) { return rangesFrom(text, "skipped", progress.next, ArrayIndices::MaxCount); });
    each.as(
        "never_made", progress.neverMade, [](const PlaceSet &places) { return places.toString(); },
        [&](const QString &text) { return PlaceSet::parse(text, "never_made", progress.next); });
    each("ok", progress.ok, Tasks);
    each("failed", progress.failed, Tasks);
    each("cancelled", progress.cancelled, Tasks);
    each("code", progress.exitCode, {0, 255});
    each("begun_ms", progress.begunAt);
}

ArrayProgress ArrayProgress::of(const QByteArray &stored, const ArrayIndices &indices)
{
    const ArrayProgress progress = decodeNested<ArrayProgress>(JobRecord::parse(stored).notes(), ProgressField);
    progress.requireConsistent(indices.count());
    return progress;
}

void ArrayProgress::requireConsistent(qint32 count) const
{
    const bool isInRange = next <= count && (skipped.empty() || skipped.rbegin()->second < count);
    if (!isInRange || qint64(open.size()) + ok + failed + cancelled != next)
        throw Malformed(QStringLiteral("field \"progress\": its counts do not add up"));
}

QByteArray ArrayProgress::mergedInto(const QByteArray &bytes) const
{
    return notedPart(bytes, ProgressField, *this);
}

std::vector<qint32> ArrayProgress::expand(int limit, qint32 count)
{
    std::vector<qint32> places;
    while (next < count && static_cast<int>(places.size()) < limit) {
        const auto skip = skipped.find(next);
        if (skip != skipped.end()) {
            noteNeverMade(next, skip->second);
            next = skip->second + 1;
            skipped.erase(skip);
            continue;
        }
        places.push_back(next);
        open.append(next++);
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

void ArrayProgress::noteNeverMade(qint32 first, qint32 last)
{
    if (last < first)
        return;
    cancelled += last - first + 1;
    exitCode = std::max(exitCode, 125);
    if (neverMade.ranges().size() <= MaxSkipped)
        neverMade.append(first, last);
}

bool ArrayProgress::isSkipped(qint32 place) const
{
    const auto behind = skipped.upper_bound(place);
    return behind != skipped.begin() && std::prev(behind)->second >= place;
}

bool ArrayProgress::isToCome(qint32 place, bool isCancelled) const
{
    return place >= next && !isCancelled && !isSkipped(place);
}

bool ArrayProgress::isNeverMade(qint32 place, bool isCancelled) const
{
    return neverMade.contains(place) || (place >= next && (isCancelled || isSkipped(place)));
}

void ArrayProgress::cancelRest(qint32 count)
{
    noteNeverMade(next, count - 1);
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
    QString text = QStringLiteral("%1: %2 ok").arg(text::formatCount(count, "task", "tasks"), text::formatCount(ok));
    if (failed > 0)
        text += QStringLiteral(", %1 failed").arg(text::formatCount(failed));
    if (cancelled > 0)
        text += QStringLiteral(", %1 cancelled").arg(text::formatCount(cancelled));
    return text;
}

QByteArray taskOf(const QByteArray &stored, qint32 index)
{
    return taskOf(JobRecord::parse(stored), index);
}

QByteArray taskOf(JobRecord array, qint32 index)
{
    JobNotes notes;
    notes.tick = decodeRecord<JobNotes>(array.notes()).tick;
    notes.index = index;
    array.setNotes(recordToJson(notes));
    return array.bytes();
}

} // namespace drover::jobs
