#pragma once

#include "jobs/model/json_fields.h"

namespace drover::app {

// What a job takes from the process that submits it: variables, and paths by the current directory. `what` names the
// option in messages. All but inheritedEnvironment() throw UsageError.

// The variables that a job inherits: PATH, HOME, USER, LOGNAME, LANG, LC_* and TZ. A job never inherits all variables,
// because they are stored where others can read them.
jobs::Environment inheritedEnvironment();

// Sets variables: "NAME=VALUE", or "NAME" with the value that it has in this process.
void addVariables(jobs::Environment &environment, const QStringList &additions, const QString &what);

// Adds secrets: "NAME=REFERENCE" (jobs::objectionToSecret).
void addSecrets(jobs::Environment &secrets, const QStringList &additions, const QString &what);

QString currentDirectory();

// The absolute path of a file that the job is to read: it is readable here as well, and is a file or a device.
QString inputPath(const QString &path, const QString &what);

// The absolute path of a copy of the job's output, which may be a pattern (jobs/model/output_path.h).
QString outputPath(const QString &path, const QString &what);

} // namespace drover::app
