#include "jobs/schedules/schedule_entry.h"

#include "text/name.h"

#include <array>

namespace drover::jobs {

using std::chrono::milliseconds;
using CatchUp = ScheduleEntry::CatchUp;
using Overlap = ScheduleEntry::Overlap;

namespace {

constexpr std::array<const char *, 3> CatchUpNames{"none", "one", "all"};
constexpr std::array<const char *, 3> OverlapNames{"allow", "skip", "replace"};

template <typename Policy>
Policy parsePolicy(const std::array<const char *, 3> &names, const QString &name)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == QLatin1String(names[i]))
            return static_cast<Policy>(i);
    }
    throw InvalidSchedule(QStringLiteral("\"%1\" must be one of %2, %3, %4")
                              .arg(name, QLatin1String(names[0]), QLatin1String(names[1]), QLatin1String(names[2])));
}

} // namespace

template <class Fields, class Record>
void ScheduleEntry::signedFields(Fields &each, Record &entry)
{
    QString expression = entry.when.expression().text();
    QString zone = entry.when.zone();
    each("cron", expression);
    each("zone", zone);
    if constexpr (!std::is_const_v<Record>)
        entry.when = CronSchedule::parse(expression, zone);
    each.as("catch_up", entry.catchUp, catchUpName,
            [](const QString &name) { return name.isEmpty() ? CatchUp::One : parseCatchUp(name); });
    each.as("overlap", entry.overlap, overlapName,
            [](const QString &name) { return name.isEmpty() ? Overlap::Allow : parseOverlap(name); });
    each("queue", entry.job.queue);
    each("priority", entry.job.priority, {0, JobSpec::MaxPriority});
    each.as(
        "spec", entry.job, [&](const JobSpec &spec) { return withFields(spec.toJson(), entry.unknownOfJob); },
        [&](const QJsonObject &spec) { return JobSpec::fromJson(spec, entry.job.queue, entry.job.priority); });
}

template <class Fields, class Record>
void ScheduleEntry::fields(Fields &each, Record &entry)
{
    signedFields(each, entry);
    const auto fromUtf8 = [](const QByteArray &text) { return QString::fromUtf8(text); };
    each.as("text", entry.signedText.text, fromUtf8, [](const QString &text) { return text.toUtf8(); });
    each("sig", entry.signedText.signature);
    each("cert", entry.signedText.certificate);
    each("paused", entry.paused);
    each("last_ms", entry.lastTick);
    each("run_ms", entry.lastRun);
    each("since_ms", entry.since);
    each.as("job", entry.lastJob, idText, JobId::parse);
}

void ScheduleEntry::requireValid() const
{
    if (!text::isName(QString::fromLatin1(job.queue)))
        throw Malformed(QStringLiteral("field \"queue\" is not a valid queue name"));
    if (std::max(lastTick, lastRun) > CronSchedule::Latest)
        throw Malformed(QStringLiteral("a tick is later than a schedule can have one"));
    requireCompatible(catchUp, overlap);
}

QByteArray ScheduleEntry::encode() const
{
    return compactJson(withFields(recordToJson(*this), unknown));
}

QByteArray ScheduleEntry::encodeJob(const JobSpec &spec) const
{
    if (signedText.isSigned()) {
        JobRecord record = signedText;
        JobNotes notes = spec.notes;
        notes.tick = spec.submittedAt;
        record.setNotes(recordToJson(notes));
        return record.bytes();
    }
    JobRecord record = spec.record();
    if (!unknownOfJob.isEmpty())
        record.text = compactJson(withFields(spec.toJson(), unknownOfJob));
    return record.bytes();
}

QByteArray ScheduleEntry::makeText(const QByteArray &name) const
{
    JsonWriter writer;
    signedFields(writer, *this);
    QJsonObject object = writer.object();
    object.insert(QLatin1String("name"), QString::fromLatin1(name));
    QByteArray text = compactJson(object);
    if (text.size() > JobRecord::MaxText)
        throw SpecTooLarge(text.size(), JobRecord::MaxText);
    return text;
}

template <class Fields>
ScheduleEntry ScheduleEntry::read(const JsonFields &fields, const Fields &readFields)
{
    try {
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = {}};
        readFields(entry);
        entry.requireValid();
        entry.unknownOfJob = unknownFields(fields.nested("spec"), entry.job.toJson());
        return entry;
    } catch (const InvalidSchedule &error) {
        throw Malformed(QString::fromUtf8(error.what()));
    } catch (const SpecTooLarge &error) {
        throw Malformed(QString::fromUtf8(error.what()));
    }
}

ScheduleEntry ScheduleEntry::fromText(const QByteArray &text)
{
    const JsonFields fields(text);
    ScheduleEntry entry = read(fields, [&](ScheduleEntry &stored) { signedFields(fields, stored); });
    entry.when.countFrom(entry.job.submittedAt); // the text alone tells which ticks it has
    return entry;
}

ScheduleEntry ScheduleEntry::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes);
    ScheduleEntry entry = read(fields, [&](ScheduleEntry &stored) { ScheduleEntry::fields(fields, stored); });
    entry.unknown = unknownFields(fields.object(), recordToJson(entry));
    if (!entry.signedText.isSigned())
        return entry;
    const ScheduleEntry asSigned = fromText(entry.signedText.text);
    entry.when = asSigned.when;
    entry.job = asSigned.job;
    entry.catchUp = asSigned.catchUp;
    entry.overlap = asSigned.overlap;
    entry.unknownOfJob = asSigned.unknownOfJob;
    return entry;
}

JobSpec ScheduleEntry::jobAt(const QByteArray &name, milliseconds tick) const
{
    JobSpec spec = job;
    spec.key = keyOf(name, tick);
    spec.submittedAt = tick;
    return spec;
}

QString catchUpName(CatchUp catchUp)
{
    return QLatin1String(CatchUpNames[static_cast<std::size_t>(catchUp)]);
}

QString overlapName(Overlap overlap)
{
    return QLatin1String(OverlapNames[static_cast<std::size_t>(overlap)]);
}

CatchUp parseCatchUp(const QString &name)
{
    return parsePolicy<CatchUp>(CatchUpNames, name);
}

Overlap parseOverlap(const QString &name)
{
    return parsePolicy<Overlap>(OverlapNames, name);
}

bool ScheduleEntry::hasTimesOf(const ScheduleEntry &other) const
{
    return when.expression().text() == other.when.expression().text() && when.zone() == other.when.zone();
}

ScheduleEntry ScheduleEntry::inPlaceOf(const ScheduleEntry &present) const
{
    ScheduleEntry entry = *this;
    entry.lastTick = hasTimesOf(present) ? present.lastTick : std::max(present.lastTick, lastTick);
    entry.since = hasTimesOf(present) ? present.since : entry.lastTick;
    entry.lastRun = present.lastRun;
    entry.lastJob = present.lastJob;
    entry.paused = present.paused;
    entry.unknown = present.unknown;
    return entry;
}

void requireCompatible(CatchUp catchUp, Overlap overlap)
{
    if (catchUp == CatchUp::All && overlap != Overlap::Allow)
        throw InvalidSchedule(
            QStringLiteral("to catch up on all ticks at once they must be allowed to overlap: not \"%1\"")
                .arg(overlapName(overlap)));
}

std::vector<milliseconds> upcomingTicks(const ScheduleEntry &entry, milliseconds now, std::size_t count)
{
    std::vector<milliseconds> ticks;
    const std::vector<milliseconds> passed = entry.when.latest(entry.lastTick, now, 1); // if no master has seen to it
    milliseconds tick = passed.empty() ? entry.lastTick : passed.back();
    while (!entry.paused && ticks.size() < count) {
        tick = entry.when.next(tick);
        ticks.push_back(tick);
    }
    return ticks;
}

DueTicks dueTicks(const ScheduleEntry &entry, milliseconds now)
{
    DueTicks due;
    due.lastTick = entry.lastTick;
    if (entry.paused)
        return due;
    if (entry.isFromTheFuture(now)) {
        due.lastTick = now;
        return due;
    }
    const std::size_t atMost = entry.catchUp == CatchUp::All ? ScheduleEntry::MostCaughtUp : 1;
    due.run = entry.when.latest(entry.lastTick, now, atMost + 1); // one more, to know whether there are others
    if (due.run.empty())
        return due;
    due.lastTick = due.run.back();
    if (entry.catchUp == CatchUp::None && now - due.lastTick > ScheduleEntry::Punctual) {
        due.run.clear();
        due.missed = true;
    } else if (due.run.size() > atMost) {
        due.run.erase(due.run.begin());
        due.missed = true;
    }
    return due;
}

} // namespace drover::jobs
