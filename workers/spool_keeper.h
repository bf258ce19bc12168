#pragma once

#include "async/event.h"
#include "async/loop.h"
#include "async/task.h"
#include "posix/disk_space.h"
#include "workers/attempts/worker_options.h"

#include <QString>

#include <functional>
#include <optional>

namespace drover::workers {

// Judges whether a spool has room for the output of more jobs. It has none when less than the reserve is free, and has
// room again when a quarter more than the reserve is free. So it does not change with each file.
class SpoolReserve
{
public:
    // `bytes`: SpoolLimits::reserve.
    explicit SpoolReserve(std::optional<qint64> bytes) : m_bytes(bytes) { }

    void note(const posix::DiskSpace &space);
    bool isShort() const { return m_isShort; }
    // In bytes, on a file system of this size.
    qint64 on(qint64 size) const;
    // The bytes that have to be freed before the shortage is over; 0: it is not short.
    qint64 missing(const posix::DiskSpace &space) const;

private:
    std::optional<qint64> m_bytes;
    bool m_isShort = false;
};

// Looks after a worker's spool: removes old output (sweepSpool), and watches whether there is room for more. A file
// system that is mounted read-only has none. Belongs to the loop's thread. All that may block runs on other threads, so
// a file system that hangs stops only this object.
class SpoolKeeper
{
public:
    // Says why the worker must not claim jobs now; empty: it may.
    using OnChange = std::function<void(const QString &shortage)>;
    // Whether this machine's clock agrees with the servers' (zk::ServerClock). Until it does, no output is too old.
    using ClockAgrees = std::function<async::Task<bool>()>;

    // `onChange` is called once the room is known for the first time, and at each change. `loop` must outlive this
    // object.
    SpoolKeeper(async::Loop &loop, QString spool, SpoolLimits limits, ClockAgrees clockAgrees, OnChange onChange);

    // Runs until it is cancelled.
    async::Task<void> run();

private:
    async::Task<void> sweep();
    async::Task<void> watchRoom();

    enum class Shortage { None, Full, ReadOnly, Silent };
    void report(Shortage shortage, const QString &text = {});

    async::Loop &m_loop;
    QString m_spool;
    SpoolLimits m_limits;
    ClockAgrees m_clockAgrees;
    OnChange m_onChange;
    SpoolReserve m_reserve;
    async::Event m_sweepNow;
    std::optional<Shortage> m_reported; // nothing: the room is not known yet
};

} // namespace drover::workers
