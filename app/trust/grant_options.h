#pragma once

#include "app/cli/arguments.h"
#include "trust/issuer.h"
#include "trust/revocations.h"

#include <QJsonObject>

namespace drover::app {

// The options of commands that issue certificates: --role, --queue, --run-as, --for, --file.
QList<QCommandLineOption> grantOptions();

// A grant with this name and the dates of the command line, and no roles yet. `now` is the time since the Unix epoch,
// `fallback` how long it lasts without --for; 0: without end. Throws UsageError.
trust::Grant grantOf(const Arguments &arguments, const QString &name, std::chrono::milliseconds now,
                     std::chrono::seconds fallback);
// Adds what --role, --queue and --run-as say. Throws UsageError.
void addRights(trust::Grant &grant, const Arguments &arguments);

// A certificate for people and scripts.
QJsonObject certificateJson(const trust::Certificate &certificate);

// "valid", "revoked", "expired" or "not yet", at that time (Unix epoch).
QString certificateState(const trust::Certificate &certificate, const trust::Revocations &revocations,
                         std::chrono::seconds now);

// "until 2027-01-01" or "without end".
QString endText(const trust::Certificate &certificate);

} // namespace drover::app
