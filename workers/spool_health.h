#pragma once

#include "async/loop.h"
#include "async/task_group.h"

#include <QString>

#include <chrono>
#include <functional>

namespace drover::workers {

// Knows whether a worker can write to its spool and to the replay journal in it. If it cannot, no signed job can
// begin here, and others would lose their output. So the worker claims nothing until it can.
//
// Nothing is written only to ask: a write that failed makes the spool suspect.
//
//     fail()       a write that every job needs has failed: the spool is sick at once
//     suspect()    some output was lost: the spool is tried, and is sick if that fails
//     while sick   it is tried again after a second, and after twice as long each time, up to a minute
//     after that   a spool that is sick again within a minute goes on with the pauses of the last time
//
// Belongs to the loop's thread. A trial may block, and runs on another thread: a file system that hangs keeps a sick
// spool sick, and stops nothing else. The log has one line for each change.
class SpoolHealth
{
public:
    static constexpr std::chrono::seconds FirstPause{1};
    static constexpr std::chrono::seconds LongestPause{60};

    // Tries to write. Returns why that failed, in one line; empty: it did not.
    using Trial = std::function<async::Task<QString>()>;
    // Says why nothing can be written; empty: it can again. May not destroy this object.
    using OnChange = std::function<void(const QString &sickness)>;

    // `loop`, and whatever the functions use, must outlive this object.
    SpoolHealth(async::Loop &loop, Trial trial, OnChange onChange);

    void fail(const QString &reason);
    void suspect();

    const QString &sickness() const { return m_sickness; } // empty: none is known

private:
    async::Task<void> judge();
    async::Task<void> attend();
    void set(const QString &sickness);

    async::Loop &m_loop;
    Trial m_trial;
    OnChange m_onChange;
    QString m_sickness;
    std::chrono::seconds m_pause = FirstPause;
    async::TimePoint m_wellSince = async::TimePoint::min();
    async::TaskGroup m_attending; // last: its task uses the rest
};

// Writes a page to a file of its own in the folder `spool`, waits for the disk, and removes the file. Returns why that
// failed, in one line; empty: it did not. Makes the folder if it is missing.
async::Task<QString> trySpool(async::Loop &loop, QString spool);

} // namespace drover::workers
