#include "recipes/values/counter.h"

#include <QHashFunctions>
#include <QtEndian>

#include <algorithm>

namespace drover::recipes {

namespace {

constexpr std::chrono::seconds LongestBackOff{2}; // a round trip may have waited for a connection

bool isText(const QByteArray &data)
{
    const auto ofANumber = [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '.'; };
    return !data.isEmpty() && data.size() <= 30 && std::all_of(data.begin(), data.end(), ofANumber);
}

} // namespace

CounterOverflow::CounterOverflow(const zk::Path &path)
    : zk::Error(zk::Code::BadArguments,
                QStringLiteral("%1: the sum is too large for the counter, nothing was added").arg(path.toString()))
{
}

NotACounter::NotACounter(const zk::Path &path, const QByteArray &data, qsizetype wanted)
    : zk::Error(zk::Code::MarshallingError,
                isText(data)
                    ? QStringLiteral("%1 holds the text \"%2\", as kazoo's Counter writes it, and not %3 bytes")
                          .arg(path.toString(), QString::fromLatin1(data), QString::number(wanted))
                    : QStringLiteral("%1 holds %2 bytes, and such a counter has %3")
                          .arg(path.toString(), QString::number(data.size()), QString::number(wanted))),
      m_size(data.size())
{
}

template <typename Number>
QByteArray BasicCounter<Number>::encode(Number number)
{
    QByteArray bytes(sizeof(Number), Qt::Uninitialized);
    qToBigEndian(number, bytes.data());
    return bytes;
}

template <typename Number>
std::optional<Number> BasicCounter<Number>::decode(const QByteArray &bytes)
{
    if (bytes.size() != sizeof(Number) || (sizeof(Number) == sizeof(qint64) && isText(bytes)))
        return std::nullopt;
    return qFromBigEndian<Number>(bytes.constData());
}

template <typename Number>
async::Task<typename BasicCounter<Number>::Known> BasicCounter<Number>::read()
{
    const async::Loop &loop = m_value.client().loop();
    const async::TimePoint before = loop.now();
    const std::optional<zk::Node> node = co_await m_value.get();
    m_roundTrip = loop.now() - before;
    Known known;
    if (node)
        known.version = node->stat.version;
    if (node && !node->data.isEmpty()) {
        const std::optional<Number> number = decode(node->data);
        if (!number)
            throw NotACounter(m_value.path(), node->data, sizeof(Number));
        known.number = *number;
    }
    m_known = known;
    co_return known;
}

// Returns false if another writer was faster; then the number is unknown.
template <typename Number>
async::Task<bool> BasicCounter<Number>::write(Known from, Number to)
{
    m_known.reset();
    const std::optional<qint32> version = co_await m_value.setIf(from.version, encode(to));
    if (!version) {
        ++m_conflicts;
        co_return false;
    }
    m_known = Known{to, version};
    co_return true;
}

// The time is drawn from what tells the writers apart, not from a generator: the same run gives the same run.
template <typename Number>
async::Task<void> BasicCounter<Number>::backOff(int refusals)
{
    const async::Duration longestYet(m_roundTrip.count() << std::min(refusals, 6));
    const qint64 longest = std::min<async::Duration>(longestYet, LongestBackOff).count();
    const size_t drawn = qHashMulti(0, m_value.client().sessionId(), m_conflicts);
    const async::Duration pause(longest > 0 ? static_cast<qint64>(drawn % static_cast<size_t>(longest)) : 0);
    co_await async::sleepFor(m_value.client().loop(), pause);
}

template <typename Number>
async::Task<Number> BasicCounter<Number>::get()
{
    const Known known = co_await read();
    co_return known.number;
}

template <typename Number>
async::Task<Number> BasicCounter<Number>::add(Number delta)
{
    for (int refusals = 0;; ++refusals) {
        if (refusals > 0)
            co_await backOff(refusals);
        if (!m_known)
            co_await read();
        const Known known = *m_known;
        Number sum = 0;
        if (__builtin_add_overflow(known.number, delta, &sum)) {
            const Known current = co_await read(); // what we knew may be old
            if (current.version == known.version && current.number == known.number)
                throw CounterOverflow(m_value.path());
            continue;
        }
        const bool written = co_await write(known, sum);
        if (written)
            co_return sum;
    }
}

template <typename Number>
async::Task<bool> BasicCounter<Number>::compareAndSet(Number expected, Number desired)
{
    for (int refusals = 0;; ++refusals) {
        if (refusals > 0)
            co_await backOff(refusals);
        const Known known = co_await read();
        if (known.number != expected)
            co_return false;
        const bool written = co_await write(known, desired);
        if (written)
            co_return true;
    }
}

template <typename Number>
async::Task<void> BasicCounter<Number>::set(Number number)
{
    m_known.reset();
    co_await m_value.set(encode(number));
}

template class BasicCounter<qint64>;
template class BasicCounter<qint32>;

} // namespace drover::recipes
