#pragma once

#include "jobs/array_indices.h"
#include "jobs/layout.h"
#include "jobs/records.h"

#include <QByteArrayList>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace drover::jobs {

// The members of a gang are the tasks of an array that grows: those of round k, from 0, are the tasks k * size to
// (k + 1) * size - 1. A round that was not good is never run again: the next one has members of its own.
struct GangSize {
    int size = 1;

    ArrayIndices upTo(int round) const { return {0, (round + 1) * size - 1, 1, 0}; }
    int roundOf(qint32 task) const { return task / size; }
    int rankOf(qint32 task) const { return task % size; }
    qint32 firstOf(int round) const { return round * size; }
    qint32 endOf(int round) const { return (round + 1) * size; }
};

// How many members of this gang such workers could run at once, beside what takes so many slots of each of them.
int placesFor(const JobSpec &spec, const std::vector<WorkerInfo> &workers,
              const std::map<QString, int> &takenSlots = {});

// How the starts of a gang went: the field "gang_rounds" of the gang's node, beside its spec and ArrayProgress.
struct GangRounds {
    // What the present round comes to, as soon as that is known.
    enum class Fate {
        Open,
        Failed, // a member has
        Lost, // with a member's worker
        Withdrawn, // it did not get all its places in time: no member has begun
        Cancelled, // a member was, or the gang
    };

    int round = 0; // the present one, or the next
    Fate fate = Fate::Open;
    int rank = 0; // of the member that decided it
    int code = 0; // its exit code
    std::chrono::milliseconds assemblingSince{}; // Unix epoch
    std::chrono::milliseconds patience{}; // how long it may assemble
    std::chrono::milliseconds begunAt{}; // the same, as the master saw it; 0: it has not
    std::chrono::milliseconds notBefore{}; // Unix epoch: the next round
    int failed = 0; // rounds that were tried again
    int lost = 0; // the same
    int withdrawn = 0; // the same, since the last that began

    // Of a gang's node; nothing has begun where none is stored. Throws Malformed.
    static GangRounds of(const QByteArray &stored);
    // The stored form `bytes` with these rounds, and an array that has the present one; all else stays.
    QByteArray mergedInto(const QByteArray &bytes, GangSize size) const;

    QString why(int size) const; // "member 2 of 4 failed with 3"

    friend bool operator==(const GangRounds &, const GangRounds &) = default;
};

// The data of a member's node in its round.
struct GangMember {
    QString worker;
    QString host;

    QByteArray encode() const;
    static GangMember decode(const QByteArray &bytes); // throws Malformed
};

// The name of that node, "<rank>.<token>". The token is that of the member's claim (ClaimedJob::token).
struct GangPlaceName {
    int rank = 0;
    qint64 token = 0;

    QByteArray name() const { return QByteArray::number(rank) + '.' + QByteArray::number(token); }
    static std::optional<GangPlaceName> parse(const QByteArray &name);
};

// Of a round's children, the members by their ranks, of each rank the latest.
std::map<int, GangPlaceName> placesIn(const QByteArrayList &names);

// The data of `ready`: the members that have begun together, by rank; none if the round was withdrawn.
struct GangStart {
    static constexpr char Name[] = "ready";

    struct Place {
        qint64 token = 0;
        GangMember member;
    };
    std::vector<Place> places;

    bool names(const GangPlaceName &place) const;

    QByteArray encode() const;
    static GangStart decode(const QByteArray &bytes); // throws Malformed
};

} // namespace drover::jobs
