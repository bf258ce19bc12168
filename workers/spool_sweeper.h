#pragma once

#include "workers/attempts/worker_options.h"

namespace drover::workers {

struct Swept {
    qint64 files = 0; // number of removed files
    qint64 bytes = 0;
};

// Removes the output of ended attempts that is beyond the limits in age or size. Several workers may share a spool, and
// may sweep it at the same time. It keeps these files whatever the limits say:
//
//     files that a runner has locked (runner/SpoolFile): the attempt runs
//     files of attempts that ended within the last minute: they may still be appended or reported
//     files of a result in the spool's `runs` (WorkerStateFile), of a living or dead worker: the cluster may not
//     know that end yet
//     files with other names
//
// If it dies in between, segments without their beginning are left, and the next sweep finds them. Blocks: about a
// second for some hundred thousand files. Files that cannot be read or removed are left.
//
// `missing`: bytes that the file system lacks. The oldest output makes room for them, but only if all of it suffices.
// Otherwise other files have filled the file system, and nothing would be gained.
Swept sweepSpool(const QString &spool, const SpoolLimits &limits, qint64 missing = 0);

} // namespace drover::workers
