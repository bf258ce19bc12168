#pragma once

#include <QString>

#include <chrono>

namespace drover::workers {

// How much of what jobs have written stays in a spool.
struct SpoolLimits {
    std::chrono::milliseconds age{std::chrono::hours(24 * 7)}; // since the attempt ended
    qint64 bytes = qint64(1) << 30; // on the disk, of all ended attempts; the oldest go first
};

struct Swept {
    qint64 files = 0; // removed
    qint64 bytes = 0;
};

// Removes the output of attempts that have ended, once it is too old or too much. Several workers may share a spool,
// and all may sweep it at the same time. What stays, whatever the limits say:
//
//     what a runner has locked (runner/SpoolFile): the attempt runs
//     what ended within the last minute: it may be about to be appended or reported
//     what belongs to a result in the spool's `runs` (RunFile), of a living worker or a dead one: the cluster may not
//     know that end yet
//     files of other names
//
// Dying in between leaves segments without their beginning, and the next sweep finds them. Blocks, for a second with
// some hundred thousand files; memory for one number a minute. What cannot be read or removed is left.
Swept sweepSpool(const QString &spool, const SpoolLimits &limits);

} // namespace drover::workers
