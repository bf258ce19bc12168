#pragma once

#include <QString>

namespace drover::app {

// The files that a job's options name, as the job has them: absolute paths, by the current directory. `what` names the
// option in messages. Both throw UsageError.

// Of a file that the job is to read: it is readable here as well, and is a file or a device.
QString inputPath(const QString &path, const QString &what);

// Of a copy of the job's output, which may be a pattern (jobs/model/output_path.h).
QString outputPath(const QString &path, const QString &what);

} // namespace drover::app
