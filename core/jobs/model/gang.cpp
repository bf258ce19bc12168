#include "jobs/model/gang.h"

#include "jobs/model/json_fields.h"
#include "text/host_name.h"
#include "text/name.h"

#include <algorithm>
#include <array>

namespace drover::jobs {

namespace {

constexpr int MostRounds = 1 << 20;
constexpr std::array<const char *, 5> Fates{"", "failed", "lost", "withdrawn", "cancelled"};

QString fateText(GangRounds::Fate fate)
{
    return QLatin1String(Fates[static_cast<std::size_t>(fate)]);
}

GangRounds::Fate fateFrom(const QString &name)
{
    for (std::size_t i = 0; i < Fates.size(); ++i) {
        if (name == QLatin1String(Fates[i]))
            return static_cast<GangRounds::Fate>(i);
    }
    throw Malformed(QStringLiteral("field \"fate\": no round ends as \"%1\"").arg(name));
}

QString zxidText(qint64 zxid)
{
    return QString::number(zxid);
}

qint64 zxidFrom(const QString &text)
{
    return text.toLongLong();
}

QString same(const QString &text)
{
    return text;
}

QString workerFrom(const QString &text)
{
    if (!text::isName(text))
        throw Malformed(QStringLiteral("field \"worker\" is not a worker's id: %1").arg(QLatin1String(text::NameRule)));
    return text;
}

QString hostFrom(const QString &text)
{
    if (!text::isHostName(text))
        throw Malformed(QStringLiteral("field \"host\" is not a host name: %1").arg(QLatin1String(text::HostNameRule)));
    return text;
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

template <class Fields, class Record>
void GangRounds::fields(Fields &each, Record &rounds)
{
    constexpr Bounds Rounds{0, MostRounds};
    each("round", rounds.round, Rounds);
    each.as("fate", rounds.fate, fateText, fateFrom);
    each("given_back", rounds.givenBack);
    each("rank", rounds.rank, Rounds);
    each("code", rounds.code, {0, 255});
    each("refused", rounds.refused);
    each("since_ms", rounds.assemblingSince);
    each("patience_ms", rounds.patience);
    each("begun_ms", rounds.begunAt);
    each("not_before_ms", rounds.notBefore);
    each("failed", rounds.failed, Rounds);
    each("lost", rounds.lost, Rounds);
    each("returned", rounds.returned, Rounds);
    each("withdrawn", rounds.withdrawn, Rounds);
}

GangRounds GangRounds::of(const QByteArray &stored)
{
    return of(JobRecord::parse(stored));
}

GangRounds GangRounds::of(const JobRecord &record)
{
    return decodeNested<GangRounds>(record.notes(), Field);
}

QByteArray GangRounds::mergedInto(const QByteArray &bytes) const
{
    return notedPart(bytes, Field, *this);
}

QString GangRounds::why(int size) const
{
    const QString member = QStringLiteral("member %1 of %2").arg(rank).arg(size);
    switch (fate) {
    case Fate::Failed:
        return refused ? QStringLiteral("%1 was refused").arg(member)
                       : QStringLiteral("%1 failed with %2").arg(member).arg(code);
    case Fate::Lost:
        return (givenBack ? QStringLiteral("%1 was given back by its worker")
                          : QStringLiteral("%1 was lost with its worker"))
            .arg(member);
    case Fate::Cancelled:
        return QStringLiteral("cancelled");
    case Fate::Withdrawn:
        return QStringLiteral("not all of its %1 members got a place in time").arg(size);
    case Fate::Open:
        break;
    }
    return {};
}

template <class Fields, class Record>
void GangMember::fields(Fields &each, Record &member)
{
    each.as("worker", member.worker, same, workerFrom);
    each.as("host", member.host, same, hostFrom);
    each("returned", member.returned, {0, MostRounds});
}

QByteArray GangMember::encode() const
{
    return encodeRecord(*this);
}

GangMember GangMember::decode(const QByteArray &bytes)
{
    return decodeRecord<GangMember>(bytes);
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
        if (place->claimZxid > latest.claimZxid)
            latest = *place;
    }
    return places;
}

bool GangStart::names(const GangPlaceName &place) const
{
    const auto rank = static_cast<std::size_t>(place.rank);
    return rank < places.size() && places[rank].claimZxid == place.claimZxid;
}

template <class Fields, class Record>
void GangStart::Place::fields(Fields &each, Record &place)
{
    each.as("token", place.claimZxid, zxidText, zxidFrom);
    GangMember::fields(each, place.member);
}

template <class Fields, class Record>
void GangStart::fields(Fields &each, Record &start)
{
    each("members", start.places);
}

QByteArray GangStart::encode() const
{
    return encodeRecord(*this);
}

GangStart GangStart::decode(const QByteArray &bytes)
{
    return decodeRecord<GangStart>(bytes);
}

} // namespace drover::jobs
