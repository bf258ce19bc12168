#pragma once

#include "jobs/model/array_indices.h"
#include "jobs/model/job_spec.h"
#include "jobs/model/layout.h"
#include "jobs/model/worker_info.h"

#include <QByteArrayList>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace drover::jobs {

// The members of a gang are the tasks of an array that grows. The members of round k, from 0, are the tasks k * size to
// (k + 1) * size - 1. A round that failed is never repeated: the next round has new members.
struct GangSize {
    int size = 1;

    ArrayIndices upTo(int round) const { return {0, (round + 1) * size - 1, 1, 0}; }
    int roundOf(qint32 task) const { return task / size; }
    int rankOf(qint32 task) const { return task % size; }
    qint32 firstOf(int round) const { return round * size; }
    qint32 endOf(int round) const { return (round + 1) * size; }
};

// How many members of the gang `spec` these workers could run at once: at most JobSpec::MaxGang. Only workers count
// that serve its queue and have its labels. `takenSlots`: the slots of each worker, by its id, that do not count.
int placesFor(const JobSpec &spec, const std::vector<WorkerInfo> &workers,
              const std::map<QString, int> &takenSlots = {});

// The rounds of a gang so far: the note "gang_rounds" of the gang's node, beside ArrayProgress. The gang's array
// includes the present round (JobSpec::decode).
struct GangRounds {
    static constexpr const char *Field = "gang_rounds";

    // The outcome of the present round, as soon as it is known.
    enum class Fate {
        Open,
        Failed, // a member has failed
        Lost, // a member's worker was lost
        Withdrawn, // places were missing for too long; no member began
        Cancelled, // a member or the gang was cancelled
    };

    int round = 0; // the present round, or the next one
    Fate fate = Fate::Open;
    bool givenBack = false; // with Lost: the worker returned the member itself
    int rank = 0; // of the member that decided the fate
    int code = 0; // with Failed: that member's exit code
    bool refused = false; // workers refused that member, so no round is tried again
    std::chrono::milliseconds assemblingSince{}; // Unix epoch, servers' clock, as are the next two times
    std::chrono::milliseconds patience{}; // how long it may assemble
    std::chrono::milliseconds begunAt{}; // 0: not begun
    std::chrono::milliseconds notBefore{}; // the next round
    int failed = 0; // failed rounds that were retried
    int lost = 0; // lost rounds that were retried
    int returned = 0; // rounds that were retried because a member was given back
    int withdrawn = 0; // withdrawn rounds since the last one that began

    // Reads the rounds in a gang's node. Without the field no round has begun. Throws Malformed.
    static GangRounds of(const QByteArray &stored);
    static GangRounds of(const JobRecord &record);
    // The stored form `bytes` with these rounds. All else stays.
    QByteArray mergedInto(const QByteArray &bytes) const;
    template <class Fields, class Record>
    static void fields(Fields &each, Record &rounds);

    QString why(int size) const; // "member 2 of 4 failed with 3"

    friend bool operator==(const GangRounds &, const GangRounds &) = default;
};

// The data of a member's node in its round. Worker and host reach the environment of each member's job.
struct GangMember {
    QString worker; // text::isName
    QString host; // text::isHostName
    int returned = 0; // JobNotes::returned at the claim; a larger one means that the worker gave the member back

    QByteArray encode() const;
    static GangMember decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &member);
};

// The name of a member's node, "<rank>.<claimZxid>", with the claim's zxid (ClaimedJob::claimZxid).
struct GangPlaceName {
    int rank = 0;
    qint64 claimZxid = 0;

    QByteArray name() const { return QByteArray::number(rank) + '.' + QByteArray::number(claimZxid); }
    static std::optional<GangPlaceName> parse(const QByteArray &name);
};

// The members among a round's children by rank; for each rank the latest.
std::map<int, GangPlaceName> placesIn(const QByteArrayList &names);

// The data of `ready`: the members that have begun together, by rank; none if the round was withdrawn.
struct GangStart {
    static constexpr char Name[] = "ready";

    struct Place {
        qint64 claimZxid = 0;
        GangMember member;

        template <class Fields, class Record>
        static void fields(Fields &each, Record &place);
    };
    std::vector<Place> places;

    bool names(const GangPlaceName &place) const;

    QByteArray encode() const;
    static GangStart decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &start);
};

} // namespace drover::jobs
