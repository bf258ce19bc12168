#pragma once

#include "jobs/json_fields.h"

namespace drover::app {

// What a job inherits of this process's environment: what a program needs to find its way (PATH, HOME, USER, LOGNAME,
// LANG, LC_*, TZ), never all of it: it is stored where others can read it.
jobs::Environment inheritedEnvironment();

// Sets what each addition says: "NAME=VALUE", or "NAME" of a variable that is set here. Throws UsageError.
void addVariables(jobs::Environment &environment, const QStringList &additions, const QString &what);

} // namespace drover::app
