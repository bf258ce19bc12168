#pragma once

#include "jobs/job_spec.h"

#include <QList>

namespace drover::app {

// One thing that can be said of a job: an option of `submit`, and a field of the same name in a job file.
struct JobField {
    enum class Type {
        Text,
        Number, // whole
        Size, // bytes: a number, or text with a unit
        List, // several texts
        Codes, // several numbers
        Flag,
        Variables, // NAME=VALUE; in a job file a table of them
    };

    const char *name;
    const char *description;
    const char *placeholder; // of the option's value
    Type type;
    // Puts it into the job in the place of what an earlier call with this field did. `values` are as one would type
    // them, one but for List and Variables; `what` names the field for messages: "--retries", "jobs.toml:3: retries".
    // Throws UsageError.
    void (*apply)(jobs::JobSpec &spec, const QStringList &values, const QString &what);
};

// In the order of the help. "command" is not among them: it is the arguments.
const QList<JobField> &jobFields();

// Null if there is none.
const JobField *findJobField(const QString &name);

} // namespace drover::app
