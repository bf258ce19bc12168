#pragma once

#include "jobs/array_indices.h"

#include <QByteArray>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace drover::jobs {

// How far the master has unfolded an array, and how its tasks have ended: the field "progress" of the array's node,
// beside the spec. Tasks are told apart by their places. Every task before `next` is either open or
// counted, once.
struct ArrayProgress {
    static constexpr qsizetype MaxSize = 96 * 1024; // bytes that it adds to the node
    static constexpr std::size_t MaxSkipped = 200; // ranges
    static constexpr int MaxOpen = 10'000; // tasks that are open at a time

    qint32 next = 0; // the first place that has not been unfolded
    std::set<qint32> open; // unfolded and not counted
    // From `next` on, the first and the last of each range: cancelled by their ids, and counted when it would be their
    // turn. Disjoint.
    std::map<qint32, qint32> skipped;
    qint32 ok = 0;
    qint32 failed = 0;
    qint32 cancelled = 0;
    int exitCode = 0; // the highest of those that were not ok
    std::chrono::milliseconds begunAt{}; // Unix epoch: when the first was unfolded

    // Of an array's node; nothing has begun where none is stored. Throw Malformed.
    static ArrayProgress of(const QByteArray &stored, const ArrayIndices &indices);
    // The stored form `bytes` with this progress; all else stays, known to this program or not.
    QByteArray mergedInto(const QByteArray &bytes) const;

    bool begun() const { return next > 0; }
    qint32 counted() const { return ok + failed + cancelled; }

    // Opens at most `limit` more, of `count` in all, and returns their places.
    std::vector<qint32> unfold(int limit, qint32 count);
    // Those from index `first` to `last` that are not unfolded never will be. Returns how many there are of these.
    qint32 skipIndices(qint32 first, qint32 last, const ArrayIndices &indices);
    // The others will never be unfolded: they count as cancelled.
    void cancelRest(qint32 count);
    // An open one has ended.
    void count(qint32 place, bool wasCancelled, int itsExitCode);

    QString toString(qint32 count) const; // "312/1000000, 2 failed"
    QString summary(qint32 count) const; // "1,000,000 tasks: 999,998 ok, 2 failed"

    friend bool operator==(const ArrayProgress &, const ArrayProgress &) = default;

private:
    qint32 skip(qint32 first, qint32 last);
    void noteCancelled(qint32 tasks);
};

// The stored form of an array's tasks, made of the array's own: without what is the array's alone, its submitter's key
// included, and with the number of its tasks. Throws Malformed.
QByteArray taskOf(const QByteArray &stored, const ArrayIndices &indices);

} // namespace drover::jobs
