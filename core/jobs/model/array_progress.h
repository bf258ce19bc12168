#pragma once

#include "jobs/model/array_indices.h"
#include "jobs/model/job_notes.h"

#include <QByteArray>

#include <chrono>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

namespace drover::jobs {

// Places of an array, stored as ranges: a million in a row take as much memory as one. So a stored text of a few bytes
// makes nothing large.
class PlaceSet
{
public:
    using Ranges = std::map<qint32, qint32>; // the last place of each by its first; disjoint, not adjacent

    // The places in ascending order.
    class Iterator
    {
    public:
        Iterator(Ranges::const_iterator range, Ranges::const_iterator end);

        qint32 operator*() const { return m_place; }
        Iterator &operator++();
        bool operator==(const Iterator &) const = default;

    private:
        Ranges::const_iterator m_range;
        Ranges::const_iterator m_end;
        qint32 m_place = 0; // 0 at the end
    };

    // "3,17-60". parse() throws Malformed, unless all places are below `end`.
    QString toString() const;
    static PlaceSet parse(const QString &text, const char *name, qint32 end);

    PlaceSet() = default;
    PlaceSet(std::initializer_list<qint32> ascending);
    explicit PlaceSet(const Ranges &ranges);

    bool empty() const { return m_ranges.empty(); }
    qint32 size() const { return m_size; }
    bool contains(qint32 place) const;
    const Ranges &ranges() const { return m_ranges; }

    void append(qint32 place); // which is greater than all
    void append(qint32 first, qint32 last); // as above, all places from first to last
    void erase(qint32 place); // if it contains it

    Iterator begin() const { return {m_ranges.begin(), m_ranges.end()}; }
    Iterator end() const { return {m_ranges.end(), m_ranges.end()}; }

    friend bool operator==(const PlaceSet &a, const PlaceSet &b) { return a.m_ranges == b.m_ranges; }

private:
    Ranges::const_iterator rangeOf(qint32 place) const;

    Ranges m_ranges;
    qint32 m_size = 0;
};

// How far the master has expanded an array, and how its tasks have ended: the note "progress" of the array's node.
// Tasks are identified by their places (ArrayIndices). Every task before `next` is either open or has been counted
// once.
struct ArrayProgress {
    static constexpr qsizetype MaxSize = 96 * 1024; // bytes that it adds to the node
    static constexpr std::size_t MaxSkipped = 200; // ranges
    static constexpr int MaxOpen = 10'000; // tasks that are open at a time

    qint32 next = 0; // the first place that has not been expanded
    PlaceSet open; // expanded and not counted
    // Ranges of places from `next` on, as first and last: cancelled by their ids, and counted when `next` reaches them.
    // Disjoint.
    std::map<qint32, qint32> skipped;
    // Places before `next` of tasks that were cancelled before they were expanded: no task has a record of its own
    // there. Older programs leave them out, and so does this one beyond MaxSkipped ranges.
    PlaceSet neverMade;
    qint32 ok = 0;
    qint32 failed = 0;
    qint32 cancelled = 0;
    int exitCode = 0; // the highest of the failed tasks
    std::chrono::milliseconds begunAt{}; // Unix epoch: when the first was expanded

    // Reads the progress in an array's node. Without the field no task has been expanded. Throw Malformed.
    static ArrayProgress of(const QByteArray &stored, const ArrayIndices &indices);
    // The stored form `bytes` with this progress. All other fields stay, even unknown ones.
    QByteArray mergedInto(const QByteArray &bytes) const;
    template <class Fields, class Record>
    static void fields(Fields &each, Record &progress);

    bool begun() const { return next > 0; }
    qint32 counted() const { return ok + failed + cancelled; }

    // Opens at most `limit` more tasks, of `count` in all, and returns their places.
    std::vector<qint32> expand(int limit, qint32 count);
    // Cancels the unexpanded tasks from index `first` to `last`: they will never be expanded. Returns how many these
    // are.
    qint32 skipIndices(qint32 first, qint32 last, const ArrayIndices &indices);
    // Whether the task at this place, which has no node, is still to be made; otherwise whether it never will be. Both
    // are false of one that was made, or of which it is not known. `isCancelled`: the array is, with all its tasks.
    bool isToCome(qint32 place, bool isCancelled) const;
    bool isNeverMade(qint32 place, bool isCancelled) const;
    // Cancels all unexpanded tasks: they will never be expanded, and count as cancelled.
    void cancelRest(qint32 count);
    // Counts an open task that has ended.
    void count(qint32 place, bool wasCancelled, int itsExitCode);

    QString toString(qint32 count) const; // "312/1000000, 2 failed"
    QString summary(qint32 count) const; // "1,000,000 tasks: 999,998 ok, 2 failed"

    friend bool operator==(const ArrayProgress &, const ArrayProgress &) = default;

private:
    void requireConsistent(qint32 count) const; // throws Malformed
    qint32 skip(qint32 first, qint32 last);
    void noteNeverMade(qint32 first, qint32 last);
    bool isSkipped(qint32 place) const;
};

// The data of the node of a task: its array's text and signature as they are, and its index as a note. A schedule's
// tick stays noted, too. Throws Malformed.
QByteArray taskOf(const QByteArray &stored, qint32 index);
QByteArray taskOf(JobRecord array, qint32 index);

} // namespace drover::jobs
