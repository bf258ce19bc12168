#include "jobs/gang.h"

#include "jobs/json_fields.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <array>

namespace drover::jobs {

namespace {

constexpr int Version = 1;
constexpr QLatin1String Field("gang_rounds");
constexpr int MostRounds = 1 << 20;
constexpr std::array<const char *, 5> Fates{"", "failed", "lost", "withdrawn", "cancelled"};

QByteArray bytesOf(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

GangRounds::Fate fateFrom(const QString &name)
{
    for (std::size_t i = 0; i < Fates.size(); ++i) {
        if (name == QLatin1String(Fates[i]))
            return static_cast<GangRounds::Fate>(i);
    }
    throw Malformed(QStringLiteral("field \"fate\": no round ends as \"%1\"").arg(name));
}

} // namespace

int placesFor(const JobSpec &spec, const std::vector<WorkerInfo> &workers, const std::map<QString, int> &takenSlots)
{
    qint64 places = 0;
    for (const WorkerInfo &worker : workers) {
        const bool serves = worker.queues.contains(QString::fromLatin1(spec.queue))
            && std::all_of(spec.needs.labels.begin(), spec.needs.labels.end(),
                           [&](const QString &label) { return worker.labels.contains(label); });
        if (!serves)
            continue;
        const auto taken = takenSlots.find(worker.id);
        const int freeSlots = worker.slotCount - (taken == takenSlots.end() ? 0 : taken->second);
        const qint64 bySlots = std::max(0, freeSlots) / spec.needs.slots;
        places += spec.needs.memory > 0 ? std::min(bySlots, worker.memory / spec.needs.memory) : bySlots;
    }
    return static_cast<int>(std::min<qint64>(places, JobSpec::MaxGang));
}

GangRounds GangRounds::of(const QByteArray &stored)
{
    GangRounds rounds;
    const QJsonValue value = JsonFields(stored, Version).object().value(Field);
    if (value.isUndefined())
        return rounds;
    const JsonFields fields(bytesOf(value.toObject()), Version);
    const auto number = [&](const char *name) { return static_cast<int>(fields.integer(name, 0, MostRounds, 0)); };
    rounds.round = number("round");
    rounds.fate = fateFrom(fields.string("fate"));
    rounds.rank = number("rank");
    rounds.code = static_cast<int>(fields.integer("code", 0, 255, 0));
    rounds.assemblingSince = fields.milliseconds("since_ms");
    rounds.patience = fields.milliseconds("patience_ms");
    rounds.begunAt = fields.milliseconds("begun_ms");
    rounds.notBefore = fields.milliseconds("not_before_ms");
    rounds.failed = number("failed");
    rounds.lost = number("lost");
    rounds.withdrawn = number("withdrawn");
    return rounds;
}

QByteArray GangRounds::mergedInto(const QByteArray &bytes, GangSize size) const
{
    QJsonObject object = JsonFields(bytes, Version).object();
    const JsonWriter rounds = JsonWriter(Version)
                                  .add("round", qint64(round))
                                  .add("fate", QString::fromLatin1(Fates[static_cast<std::size_t>(fate)]))
                                  .add("rank", qint64(rank))
                                  .add("code", qint64(code))
                                  .add("since_ms", assemblingSince)
                                  .add("patience_ms", patience)
                                  .add("begun_ms", begunAt)
                                  .add("not_before_ms", notBefore)
                                  .add("failed", qint64(failed))
                                  .add("lost", qint64(lost))
                                  .add("withdrawn", qint64(withdrawn));
    object.insert(Field, rounds.object());
    object.insert(QLatin1String("array"), size.upTo(round).toString());
    return bytesOf(object);
}

QString GangRounds::why(int size) const
{
    const QString member = QStringLiteral("member %1 of %2").arg(rank).arg(size);
    switch (fate) {
    case Fate::Failed:
        return QStringLiteral("%1 failed with %2").arg(member).arg(code);
    case Fate::Lost:
        return QStringLiteral("%1 was lost with its worker").arg(member);
    case Fate::Cancelled:
        return QStringLiteral("cancelled");
    case Fate::Withdrawn:
        return QStringLiteral("not all of its %1 members got a place in time").arg(size);
    case Fate::Open:
        break;
    }
    return {};
}

QByteArray GangMember::encode() const
{
    return JsonWriter(Version).add("worker", worker).add("host", host).bytes();
}

GangMember GangMember::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    return {fields.string("worker"), fields.string("host")};
}

std::optional<GangPlaceName> GangPlaceName::parse(const QByteArray &name)
{
    const qsizetype dot = name.indexOf('.');
    if (dot < 0)
        return std::nullopt;
    bool isRank = false;
    bool isToken = false;
    const GangPlaceName place{name.first(dot).toInt(&isRank), name.mid(dot + 1).toLongLong(&isToken)};
    return isRank && isToken && place.name() == name ? std::optional(place) : std::nullopt;
}

std::map<int, GangPlaceName> placesIn(const QByteArrayList &names)
{
    std::map<int, GangPlaceName> places;
    for (const QByteArray &name : names) {
        const std::optional<GangPlaceName> place = GangPlaceName::parse(name);
        if (!place)
            continue;
        GangPlaceName &latest = places.try_emplace(place->rank, *place).first->second;
        if (place->token > latest.token)
            latest = *place;
    }
    return places;
}

bool GangStart::names(const GangPlaceName &place) const
{
    const auto rank = static_cast<std::size_t>(place.rank);
    return rank < places.size() && places[rank].token == place.token;
}

QByteArray GangStart::encode() const
{
    QJsonArray list;
    for (const Place &place : places)
        list.append(QJsonObject{{QStringLiteral("token"), QString::number(place.token)},
                                {QStringLiteral("worker"), place.member.worker},
                                {QStringLiteral("host"), place.member.host}});
    QJsonObject object = JsonWriter(Version).object();
    object.insert(QStringLiteral("members"), list);
    return bytesOf(object);
}

GangStart GangStart::decode(const QByteArray &bytes)
{
    GangStart start;
    const QJsonArray list = JsonFields(bytes, Version).object().value(QLatin1String("members")).toArray();
    for (const QJsonValue &item : list)
        start.places.push_back({item[QLatin1String("token")].toString().toLongLong(),
                                {item[QLatin1String("worker")].toString(), item[QLatin1String("host")].toString()}});
    return start;
}

} // namespace drover::jobs
