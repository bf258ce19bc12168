#include "jobs/schedule_entry.h"

#include <QDateTime>
#include <QJsonDocument>

#include <array>

namespace drover::jobs {

using std::chrono::milliseconds;
using CatchUp = ScheduleEntry::CatchUp;
using Overlap = ScheduleEntry::Overlap;

namespace {

constexpr int Version = 1;
constexpr std::array<const char *, 3> CatchUpNames{"none", "one", "all"};
constexpr std::array<const char *, 3> OverlapNames{"allow", "skip", "replace"};

template <typename Policy>
Policy parsePolicy(const std::array<const char *, 3> &names, const QString &name)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == QLatin1String(names[i]))
            return static_cast<Policy>(i);
    }
    throw InvalidSchedule(QStringLiteral("\"%1\" is none of %2, %3, %4")
                              .arg(name, QLatin1String(names[0]), QLatin1String(names[1]), QLatin1String(names[2])));
}

// Of what next() can take.
milliseconds instant(const JsonFields &fields, const char *name)
{
    return milliseconds(fields.integer(name, 0, CronSchedule::Latest.count(), 0));
}

JobSpec specOf(const JsonFields &fields)
{
    const QString queue = fields.string("queue");
    if (!isValidName(queue))
        throw Malformed(QStringLiteral("field \"queue\" is no queue's name"));
    const auto priority = static_cast<int>(fields.integer("priority", 0, JobSpec::MaxPriority, 0));
    const QByteArray spec = QJsonDocument(fields.nested("spec")).toJson(QJsonDocument::Compact);
    return JobSpec::decode(spec, queue.toLatin1(), priority);
}

} // namespace

QByteArray ScheduleEntry::encode() const
{
    return JsonWriter(Version)
        .add("cron", when.expression().text())
        .add("zone", when.zone())
        .add("catch_up", catchUpName(catchUp))
        .add("overlap", overlapName(overlap))
        .add("paused", paused)
        .add("queue", QString::fromLatin1(job.queue))
        .add("priority", qint64(job.priority))
        .add("spec", QJsonDocument::fromJson(job.encode()).object())
        .add("last_ms", lastTick)
        .add("run_ms", lastRun)
        .add("job", lastJob ? lastJob->toString() : QString())
        .bytes();
}

ScheduleEntry ScheduleEntry::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    try {
        ScheduleEntry entry{.when = CronSchedule::parse(fields.string("cron"), fields.string("zone")),
                            .job = specOf(fields),
                            .catchUp = parseCatchUp(fields.string("catch_up", catchUpName(CatchUp::One))),
                            .overlap = parseOverlap(fields.string("overlap", overlapName(Overlap::Allow))),
                            .paused = fields.boolean("paused"),
                            .lastTick = instant(fields, "last_ms"),
                            .lastRun = instant(fields, "run_ms"),
                            .lastJob = JobId::parse(fields.string("job"))};
        requireCompatible(entry.catchUp, entry.overlap);
        return entry;
    } catch (const InvalidSchedule &error) {
        throw Malformed(QString::fromUtf8(error.what()));
    }
}

JobSpec ScheduleEntry::jobAt(const QByteArray &name, milliseconds tick) const
{
    JobSpec spec = job;
    spec.key = keyOf(name, tick);
    spec.submittedAt = tick;
    return spec;
}

QString ScheduleEntry::keyOf(const QByteArray &name, milliseconds tick)
{
    return QStringLiteral("cron %1 %2")
        .arg(QString::fromLatin1(name),
             QDateTime::fromMSecsSinceEpoch(tick.count(), Qt::UTC).toString(Qt::ISODateWithMs));
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

void requireCompatible(CatchUp catchUp, Overlap overlap)
{
    if (catchUp == CatchUp::All && overlap != Overlap::Allow)
        throw InvalidSchedule(
            QStringLiteral("to catch up on all ticks at once they must be allowed to overlap: not \"%1\"")
                .arg(overlapName(overlap)));
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
