#pragma once

#include "app/cli/arguments.h"
#include "trust/issuer.h"

#include <QJsonObject>

namespace drover::app {

// The options of commands that issue certificates: --role, --queue, --run-as, --for, --file.
QList<QCommandLineOption> grantOptions();

// What the command line grants. `now` is the time since the Unix epoch, `fallback` how long it lasts without --for; 0:
// without end. Throws UsageError.
trust::Grant grantOf(const Arguments &arguments, const QString &name, std::chrono::milliseconds now,
                     std::chrono::seconds fallback);

// A certificate for people and scripts.
QJsonObject certificateJson(const trust::Certificate &certificate);

// "submit, view", "until 2027-01-01" or "without end".
QString rolesText(const trust::Roles &roles);
QString endText(const trust::Certificate &certificate);

} // namespace drover::app
