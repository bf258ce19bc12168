#include "jobs/gang_view.h"

#include "recipes/persist.h"

namespace drover::jobs {

using namespace std::chrono_literals;
using zk::Answer;
using Fate = GangRounds::Fate;

namespace {

// Between two rounds, or before the first.
QString aboutWaiting(const GangRounds &rounds, const JobSpec &spec, const std::vector<WorkerInfo> &workers,
                     std::chrono::milliseconds now)
{
    const int places = placesFor(spec, workers);
    if (rounds.notBefore > now)
        return QStringLiteral("its next round begins in %1 s").arg((rounds.notBefore - now) / 1s + 1);
    if (places < spec.gang)
        return QStringLiteral("its %1 members need a place each at the same time, and the workers of queue %2 have %3")
            .arg(spec.gang)
            .arg(QString::fromLatin1(spec.queue))
            .arg(places);
    return QStringLiteral("it waits for its turn: one gang assembles at a time");
}

QString aboutRound(const QByteArrayList &names, int size)
{
    if (names.contains(GangStart::Name))
        return QStringLiteral("its %1 members have begun together").arg(size);
    return QStringLiteral("it assembles: %1 of %2 members have a place").arg(placesIn(names).size()).arg(size);
}

} // namespace

async::Task<QStringList> aboutGang(zk::Coordinator &zk, Layout layout, JobView job, std::vector<WorkerInfo> workers)
{
    QStringList texts;
    const GangSize gang{job.spec->gang};
    GangRounds rounds;
    try {
        rounds = GangRounds::of(job.stored);
    } catch (const Malformed &error) {
        texts.append(QString::fromUtf8(error.what()));
        co_return texts;
    }
    if (job.progress->next == gang.firstOf(rounds.round)) {
        texts.append(aboutWaiting(rounds, *job.spec, workers, zk.loop().wallClock()));
    } else if (rounds.fate != Fate::Open) {
        texts.append(
            QStringLiteral("its round is over, and its members are being ended: %1").arg(rounds.why(gang.size)));
    } else {
        const zk::Path path = layout.gang(job.id, rounds.round);
        const auto list = [&] { return zk.children(path); };
        const Answer<zk::Children> names = co_await recipes::persist(zk, list);
        texts.append(aboutRound(names->names, gang.size));
    }
    if (rounds.round > 0)
        texts.append(
            QStringLiteral("it is in round %1: before, a member failed %2 times and was lost %3 times; the others "
                           "had not all got their places in time")
                .arg(rounds.round + 1)
                .arg(rounds.failed)
                .arg(rounds.lost));
    co_return texts;
}

} // namespace drover::jobs
