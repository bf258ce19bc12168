#pragma once

#include <QString>

namespace drover::app {

// The path of one of Drover's programs: in DROVER_BIN_DIR, beside this program, or, if installed, in ../libexec/drover
// or ../../bin. If it is missing, the path where it should be beside this program.
QString findProgram(const char *name);

// The text, with the documents of the package (/usr/share/doc/drover/...) where they are installed beside this program:
// another prefix has its own. Without documents there the text stays as it is.
QString withInstalledPlaces(const QString &text);

// Throws CommandError if drover-runner cannot be started. Call it before claiming a job or waiting for a lock.
// `purpose` is for the message: "run jobs".
void requireRunner(const char *purpose);

// Replaces this process by that program, with these arguments as they were typed (the first is its name). Throws
// CommandError if the program is missing or cannot be executed; otherwise it does not return.
[[noreturn]] void becomeProgram(const char *name, const QStringList &arguments);

} // namespace drover::app
