#include "workers/spool_keeper.h"

#include "async/first_of.h"
#include "async/offload.h"
#include "text/quantity.h"
#include "workers/spool_sweeper.h"

#include <QFile>
#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcSpoolKeeper, "drover.workers.spool_keeper")

namespace {

constexpr auto SweepInterval = 10min;
constexpr auto SweepIntervalWhileShort = 1min; // output can be removed a minute after its attempt has ended
constexpr auto LookInterval = 5s;
constexpr auto Patience = 30s; // for the file system to say how much room it has
constexpr qint64 LargestDefault = qint64(1) << 30; // bytes

} // namespace

qint64 SpoolReserve::on(qint64 size) const
{
    return m_bytes.value_or(std::min(size / 20, LargestDefault));
}

void SpoolReserve::note(const posix::DiskSpace &space)
{
    m_isShort = m_isShort ? missing(space) > 0 : space.free < on(space.size);
}

qint64 SpoolReserve::missing(const posix::DiskSpace &space) const
{
    const qint64 reserve = on(space.size);
    return m_isShort ? std::max<qint64>(0, reserve + reserve / 4 - space.free) : 0;
}

SpoolKeeper::SpoolKeeper(async::Loop &loop, QString spool, SpoolLimits limits, ClockAgrees clockAgrees,
                         OnChange onChange)
    : m_loop(loop), m_spool(std::move(spool)), m_limits(limits), m_clockAgrees(std::move(clockAgrees)),
      m_onChange(std::move(onChange)), m_reserve(limits.reserve)
{
}

async::Task<void> SpoolKeeper::run()
{
    std::vector<async::Task<void>> parts;
    parts.push_back(sweep());
    if (m_limits.reserve == 0)
        report(Shortage::None);
    else
        parts.push_back(watchRoom());
    co_await async::firstOf(m_loop, std::move(parts));
}

async::Task<void> SpoolKeeper::sweep()
{
    for (;;) {
        m_sweepNow.reset();
        SpoolLimits limits = m_limits;
        const bool agrees = co_await m_clockAgrees();
        if (!agrees)
            limits.age = std::chrono::milliseconds::max();
        const std::function<Swept()> work = [spool = m_spool, limits, reserve = m_reserve] {
            const std::string path = QFile::encodeName(spool).toStdString();
            const std::optional<posix::DiskSpace> space = reserve.isShort() ? posix::diskSpaceAt(path) : std::nullopt;
            return sweepSpool(spool, limits, space ? reserve.missing(*space) : 0);
        };
        const Swept swept = co_await async::offload(m_loop, work);
        if (swept.files > 0)
            qCInfo(lcSpoolKeeper, "removed %lld files of ended jobs from the spool, %lld bytes",
                   static_cast<long long>(swept.files), static_cast<long long>(swept.bytes));
        const auto interval = m_reserve.isShort() ? SweepIntervalWhileShort : SweepInterval;
        const async::Timer next = m_loop.after(interval, [this] { m_sweepNow.set(); });
        co_await m_sweepNow.wait();
    }
}

// A file system that does not answer has no room: whatever writes there would hang, too.
async::Task<void> SpoolKeeper::watchRoom()
{
    const std::function<std::optional<posix::DiskSpace>()> look = [path = QFile::encodeName(m_spool).toStdString()] {
        return posix::diskSpaceAt(path);
    };
    for (;;) {
        async::Timer late = m_loop.after(Patience, [this] {
            report(Shortage::Silent,
                   QStringLiteral("the file system of its spool %1 has not answered for %2 s")
                       .arg(m_spool, QString::number(Patience.count())));
        });
        const std::optional<posix::DiskSpace> space = co_await async::offload(m_loop, look);
        late.cancel();
        if (space)
            m_reserve.note(*space);
        if (space && space->isReadOnly)
            report(Shortage::ReadOnly,
                   QStringLiteral("the file system of its spool %1 is mounted read-only").arg(m_spool));
        else if (space && m_reserve.isShort())
            report(Shortage::Full,
                   QStringLiteral("its spool %1 has %2 left, and --spool-reserve is %3; it goes on once %4 is free")
                       .arg(m_spool, text::formatSize(space->free), text::formatSize(m_reserve.on(space->size)),
                            text::formatSize(space->free + m_reserve.missing(*space))));
        else if (space || m_reported != Shortage::Full) // an error says nothing about the room
            report(Shortage::None);
        co_await async::sleepFor(m_loop, LookInterval);
    }
}

// The bytes that are left change each time: a new text of the same shortage is no news.
void SpoolKeeper::report(Shortage shortage, const QString &text)
{
    if (m_reported == shortage)
        return;
    if (shortage != Shortage::None)
        qCWarning(lcSpoolKeeper, "claims no jobs: %ls", qUtf16Printable(text));
    else if (m_reported)
        qCWarning(lcSpoolKeeper, "claims jobs again: its spool %ls has room", qUtf16Printable(m_spool));
    m_reported = shortage;
    if (shortage != Shortage::None)
        m_sweepNow.set();
    m_onChange(text);
}

} // namespace drover::workers
