#pragma once

#include "jobs/model/json_fields.h"

namespace drover::app {

// The variables that a job inherits from this process: PATH, HOME, USER, LOGNAME, LANG, LC_* and TZ. A job never
// inherits all variables, because they are stored where others can read them.
jobs::Environment inheritedEnvironment();

// Adds secrets: "NAME=REFERENCE" (jobs::objectionToSecret). Throws UsageError.
void addSecrets(jobs::Environment &secrets, const QStringList &additions, const QString &what);

// Sets variables: "NAME=VALUE", or "NAME" with the value that it has in this process. `what` names the option in
// messages. Throws UsageError.
void addVariables(jobs::Environment &environment, const QStringList &additions, const QString &what);

} // namespace drover::app
