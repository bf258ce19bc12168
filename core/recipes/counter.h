#pragma once

#include "recipes/value.h"

namespace drover::recipes {

// The sum does not fit the counter's type. Nothing was written.
class CounterOverflow : public zk::Error
{
public:
    explicit CounterOverflow(const zk::Path &path);
};

// The node's data is no number of the counter's type: it has another size, or is text as of kazoo's Counter. Empty data
// is 0.
class NotACounter : public zk::Error
{
public:
    NotACounter(const zk::Path &path, const QByteArray &data, qsizetype wanted);
    qsizetype size() const { return m_size; }

private:
    qsizetype m_size;
};

// A number that several processes change.
//
//     <path>                    persistent, data = the number, big-endian: 8 bytes in a Counter (Curator's
//                               DistributedAtomicLong), 4 in a SharedCount (Curator's SharedCount, kazoo's Counter with
//                               support_curator); a missing node and empty data are 0
//
//     add: write the last number that we know, plus `delta`, if the version is still that number's
//          if somebody was faster: wait a random time, read, do it again
//
// Round trips: two for the first add, one for each further one while nobody else writes, two more for each that is
// refused. Of the writers that meet one always gets through; the others wait up to twice, four times ... 64 times what
// the read took, so that they do not meet again.
//
// Each add is applied exactly once, and its result is the number that it made: whether a write whose reply was lost was
// carried out is decided by its receipt (see Receipts), for the number and version alone cannot tell our "41 plus 1"
// from somebody else's. Only SessionLost, or cancelling the task, leaves it open whether the add was applied. Overflow
// of the number: CounterOverflow, unlike Curator and kazoo, which wrap or fail in the server. Overflow of the version,
// parent deleted, suspended: see Value. A counter that was deleted begins at 0 again.
//
// Adds of one object that run at the same time compete like those of others. Nothing is held, so there is no fence.
template <typename Number>
class BasicCounter
{
public:
    BasicCounter(zk::Coordinator &zk, zk::Path path) : m_value(zk, std::move(path)) { }

    // All throw SessionLost, NotACounter, VersionUnusable.
    async::Task<Number> get();
    // The number that it has made. Throws CounterOverflow.
    async::Task<Number> add(Number delta);
    // False: it was another number.
    async::Task<bool> compareAndSet(Number expected, Number desired);
    async::Task<void> set(Number number);

    // Writes that were refused because somebody else was faster.
    quint64 conflicts() const { return m_conflicts; }

    static QByteArray encode(Number number);
    // Nothing unless it is what encode() makes. Eight digits are text: a kazoo Counter's 12345678 would otherwise be
    // read as 3,544,952,156,018,063,160. (Four bytes are taken as they are: a SharedCount may well come to such a number.)
    static std::optional<Number> decode(const QByteArray &bytes);

private:
    struct Known {
        Number number = 0;
        std::optional<qint32> version; // none: there is no node
    };

    async::Task<Known> read();
    async::Task<bool> write(Known from, Number to);
    async::Task<void> backOff(int refusals);

    Value m_value;
    std::optional<Known> m_known; // after our newest read or write
    async::Duration m_roundTrip{0};
    quint64 m_conflicts = 0;
};

extern template class BasicCounter<qint64>;
extern template class BasicCounter<qint32>;
using Counter = BasicCounter<qint64>;
using SharedCount = BasicCounter<qint32>;

} // namespace drover::recipes
