#pragma once

#include "recipes/values/value.h"

namespace drover::recipes {

// The sum does not fit the counter's type. Nothing was written.
class CounterOverflow : public zk::Error
{
public:
    explicit CounterOverflow(const zk::Path &path);
};

// The node's data is not a number of the counter's type: it has another size, or is text like that of kazoo's Counter.
// Empty data is 0.
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
//     add: write the last known number plus `delta`, if the node still has that number's version
//          if another writer was faster: wait a random time, read, repeat
//
// Round trips: two for the first add, one for each further add without other writers, two more for each refused write.
// Of concurrent writers one always succeeds. The others wait up to twice, four times ... 64 times the duration of the
// read, so that they do not collide again.
//
// Each add is applied exactly once, and its result is the number that it stored. After a lost reply its receipt decides
// whether it was carried out (see Receipts). Number and version do not tell our "41 plus 1" from another writer's. Only
// after SessionLost, or if the task is cancelled, is it unknown whether the add was applied. Overflow of the number:
// CounterOverflow, unlike Curator and kazoo, which wrap or fail in the server. Overflow of the version, parent deleted,
// suspended: see Value. A deleted counter begins at 0 again.
//
// Concurrent adds of one object compete like the adds of several. A counter is not held, so there is no fence.
template <typename Number>
class BasicCounter
{
public:
    BasicCounter(zk::Client &zk, zk::Path path) : m_value(zk, std::move(path)) { }

    // All throw SessionLost, NotACounter, VersionUnusable.
    async::Task<Number> get();
    // Returns the new number. Throws CounterOverflow.
    async::Task<Number> add(Number delta);
    // Returns false if the number was not `expected`.
    async::Task<bool> compareAndSet(Number expected, Number desired);
    async::Task<void> set(Number number);

    // How many writes were refused because another writer was faster.
    quint64 conflicts() const { return m_conflicts; }

    static QByteArray encode(Number number);
    // Returns nothing unless the bytes have the form that encode() makes. Eight digits are refused as text: a kazoo
    // Counter's 12345678 would be read as 3,544,952,156,018,063,160. (Four digits are accepted, because a SharedCount
    // may reach such a number.)
    static std::optional<Number> decode(const QByteArray &bytes);

private:
    struct Known {
        Number number = 0;
        std::optional<qint32> version; // not set: the node does not exist
    };

    async::Task<Known> read();
    async::Task<bool> write(Known from, Number to);
    async::Task<void> backOff(int refusals);

    Value m_value;
    std::optional<Known> m_known; // by the newest read or write
    async::Duration m_roundTrip{0};
    quint64 m_conflicts = 0;
};

extern template class BasicCounter<qint64>;
extern template class BasicCounter<qint32>;
using Counter = BasicCounter<qint64>;
using SharedCount = BasicCounter<qint32>;

} // namespace drover::recipes
