#include "jobs/explain/gang_view.h"

#include "jobs/cluster/gang_limits.h"
#include "jobs/cluster/members.h"
#include "recipes/blocks/persistent.h"

namespace drover::jobs {

using namespace std::chrono_literals;
using zk::Answer;
using Fate = GangRounds::Fate;

namespace {

// How many places there are, all of them or those that are free.
QString aboutPlaces(const JobSpec &spec, int places, const char *kind)
{
    return QStringLiteral("its %1 members need a place each at the same time, and the workers of queue %2 have %3%4")
        .arg(spec.gang)
        .arg(QString::fromLatin1(spec.queue))
        .arg(places)
        .arg(QLatin1String(kind));
}

// Between two rounds, or before the first; empty if neither the time nor the workers keep it.
async::Task<QString> aboutWaiting(Cluster cluster, GangRounds rounds, JobSpec spec, std::vector<WorkerInfo> workers)
{
    const std::chrono::milliseconds now = cluster.zk.loop().wallClock();
    if (rounds.notBefore > now)
        co_return QStringLiteral("its next round begins in %1 s").arg((rounds.notBefore - now) / 1s + 1);
    const int places = placesFor(spec, workers);
    if (places < spec.gang)
        co_return aboutPlaces(spec, places, "");
    const std::vector<StoredClaim> claims = co_await readClaims(cluster);
    std::map<QString, int> taken;
    for (const StoredClaim &claim : claims)
        taken[claim.claim.worker] += claim.claim.takesSlots() ? claim.claim.slotCount : 0;
    const int free = placesFor(spec, workers, taken);
    if (free < spec.gang)
        co_return aboutPlaces(spec, free,
                              " free: it begins when enough are free, or are expected to be within minutes");
    co_return QString();
}

Reason aboutLimit(const LowLimit &low, int size)
{
    const QString name = QString::fromLatin1(low.limit.name);
    if (low.limit.ofQueue)
        return {QStringLiteral("its %1 members must run at the same time, and the limit of queue %2 is %3")
                    .arg(size)
                    .arg(name)
                    .arg(low.permits),
                QStringLiteral("drover queue limit %1 %2").arg(name).arg(size)};
    return {QStringLiteral("its %1 members need %1 permits of limit %2 at the same time, which has %3")
                .arg(size)
                .arg(name)
                .arg(low.permits),
            QStringLiteral("drover limit set %1 %2").arg(name).arg(size)};
}

// Why it waits for its next round, or while it assembles for the rest of its members.
async::Task<std::vector<Reason>> aboutBeginning(Cluster cluster, JobSpec spec, QString text)
{
    std::vector<Reason> reasons;
    const std::optional<LowLimit> low = co_await lowLimit(cluster, spec);
    if (low)
        reasons.push_back(aboutLimit(*low, spec.gang));
    if (!text.isEmpty())
        reasons.push_back({text});
    if (reasons.empty())
        reasons.push_back({QStringLiteral("it waits for its turn: one gang assembles at a time")});
    co_return reasons;
}

} // namespace

async::Task<std::optional<Reason>> whyGangNeverBegins(Cluster cluster, JobSpec spec, std::vector<WorkerInfo> workers)
{
    const int places = placesFor(spec, workers);
    if (places < spec.gang)
        co_return Reason{aboutPlaces(spec, places, "")};
    const std::optional<LowLimit> low = co_await lowLimit(cluster, spec);
    if (low)
        co_return aboutLimit(*low, spec.gang);
    co_return std::nullopt;
}

async::Task<std::vector<Reason>> aboutGang(Cluster cluster, JobView job, std::vector<WorkerInfo> workers)
{
    std::vector<Reason> reasons;
    const GangSize gang{job.spec->gang};
    GangRounds rounds;
    try {
        rounds = GangRounds::of(job.stored);
    } catch (const Malformed &error) {
        reasons.push_back({QString::fromUtf8(error.what())});
        co_return reasons;
    }
    if (job.progress->next == gang.firstOf(rounds.round)) {
        const QString text = co_await aboutWaiting(cluster, rounds, *job.spec, std::move(workers));
        reasons = co_await aboutBeginning(cluster, *job.spec, text);
    } else if (rounds.fate != Fate::Open) {
        reasons.push_back(
            {QStringLiteral("its round is over, and its members are being ended: %1").arg(rounds.why(gang.size))});
    } else {
        const Answer<zk::Children> names =
            co_await recipes::Persistent(cluster.zk).children(cluster.layout.gang(job.id, rounds.round));
        if (names->names.contains(GangStart::Name)) {
            reasons.push_back({QStringLiteral("its %1 members have begun together").arg(gang.size)});
        } else {
            const QString text = QStringLiteral("it assembles: %1 of %2 members have a place")
                                     .arg(placesIn(names->names).size())
                                     .arg(gang.size);
            reasons = co_await aboutBeginning(cluster, *job.spec, text);
        }
    }
    if (rounds.round > 0)
        reasons.push_back(
            {QStringLiteral("it is in round %1: before, a member failed %2 times, was lost %3 times and given "
                            "back by its worker %4 times; the others had not all got their places in time")
                 .arg(rounds.round + 1)
                 .arg(rounds.failed)
                 .arg(rounds.lost)
                 .arg(rounds.returned)});
    co_return reasons;
}

} // namespace drover::jobs
