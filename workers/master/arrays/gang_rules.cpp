#include "workers/master/arrays/gang_rules.h"

#include <algorithm>

namespace drover::workers {

using jobs::FinalRecord;
using jobs::GangRounds;
using jobs::JobSpec;
using std::chrono::milliseconds;
using Fate = GangRounds::Fate;

namespace {

constexpr int MaxDoublings = 3;
constexpr std::chrono::hours LongestGangPause(24); // more than any patience that a master writes; the node may say more

// A gang that did not get the places that were predicted leaves them to others for as long as it has kept them, and
// twice as long each time: so they are idle for a ninth of the time in the end.
milliseconds pauseAfter(const GangRounds &rounds)
{
    const milliseconds pause = std::min<milliseconds>(rounds.patience, LongestGangPause);
    return pause * (1 << std::min(rounds.withdrawn, MaxDoublings));
}

void noteFailure(GangRounds &rounds, jobs::GangSize size, const MemberOutcomes &outcomes)
{
    std::optional<milliseconds> first;
    for (const auto &[task, outcome] : outcomes) {
        const bool good = !outcome.cancelled && outcome.exitCode == 0;
        if (good || (first && *first <= outcome.at))
            continue;
        first = outcome.at;
        rounds.fate = outcome.cancelled ? Fate::Cancelled : Fate::Failed;
        rounds.rank = size.rankOf(task);
        rounds.code = outcome.exitCode;
        rounds.refused = outcome.refused;
    }
}

} // namespace

void decideFate(GangRounds &rounds, const JobSpec &gang, const MemberOutcomes &outcomes,
                const std::optional<GangRoundNode::Lost> &lost)
{
    if (rounds.fate == Fate::Open && (!lost || !lost->givenBack))
        noteFailure(rounds, {gang.gang}, outcomes);
    if (rounds.fate == Fate::Open && gang.notes.cancelled)
        rounds.fate = Fate::Cancelled;
    if (rounds.fate != Fate::Open || !lost)
        return;
    rounds.fate = Fate::Lost;
    rounds.givenBack = lost->givenBack;
    rounds.rank = lost->rank;
}

std::optional<GangRounds> roundAfter(const GangRounds &rounds, const JobSpec &gang, milliseconds now, double random)
{
    GangRounds next = rounds;
    if (gang.notes.cancelled)
        return std::nullopt;
    switch (rounds.fate) {
    case Fate::Open:
    case Fate::Cancelled:
        return std::nullopt;
    case Fate::Failed:
        if (rounds.refused || !gang.retry.covers(rounds.code, rounds.failed))
            return std::nullopt;
        next.notBefore = now + gang.retry.delay(rounds.failed, random);
        ++next.failed;
        next.withdrawn = 0;
        break;
    case Fate::Lost:
        if (rounds.givenBack && rounds.returned < JobSpec::MaxForgiven) {
            ++next.returned;
        } else {
            if (rounds.lost + 1 >= gang.maxAttempts)
                return std::nullopt;
            ++next.lost;
        }
        next.withdrawn = 0;
        break;
    case Fate::Withdrawn:
        next.notBefore = now + pauseAfter(rounds);
        ++next.withdrawn;
        break;
    }
    ++next.round;
    next.fate = Fate::Open;
    next.givenBack = false;
    next.rank = next.code = 0;
    next.assemblingSince = next.begunAt = {};
    return next;
}

FinalRecord recordOf(const GangRounds &rounds, const jobs::JobId &id, const JobSpec &gang, milliseconds now)
{
    const bool cancelled = gang.notes.cancelled || rounds.fate == Fate::Cancelled;
    QString reason = rounds.fate == Fate::Open ? QStringLiteral("all %1 members have succeeded").arg(gang.gang)
        : cancelled && !gang.notes.cancelled
        ? QStringLiteral("member %1 of %2 was cancelled").arg(rounds.rank).arg(gang.gang)
        : rounds.why(gang.gang);
    if (rounds.round > 0)
        reason += QStringLiteral(", in round %1").arg(rounds.round + 1);
    const FinalRecord::Outcome outcome = cancelled ? FinalRecord::Outcome::Cancelled
        : rounds.fate == Fate::Lost                ? FinalRecord::Outcome::GaveUp
        : rounds.refused                           ? FinalRecord::Outcome::Refused
                                                   : FinalRecord::Outcome::Exited;
    FinalRecord record = FinalRecord::withoutRun(id, gang, outcome, reason, 0, now);
    record.attempts = {rounds.round + 1, 0};
    record.code = rounds.code;
    record.startedAt = rounds.begunAt; // of the last round: assembling is no running
    return record;
}

} // namespace drover::workers
