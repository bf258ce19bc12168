#pragma once

#include "jobs/model/job_spec.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QList>

namespace drover::app {

// One field of a job's description: an option of `submit`, and a field of job files and of JSON.
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
    // Sets the field in the job, and replaces its earlier value. `values` are in the form of the command line; only
    // List and Variables have several. `what` names the field in messages: "--retries", "jobs.toml:3: retries". Throws
    // UsageError.
    void (*apply)(jobs::JobSpec &spec, const QStringList &values, const QString &what);
    // The field's value for this job in a JSON job file. Undefined: the file leaves the field out.
    QJsonValue (*said)(const jobs::JobSpec &spec);
    // Of an option that is repeated: the name of all its values in files and in JSON.
    const char *plural = nullptr;

    // The field's name in files and in JSON: "time_limit", "tags".
    QString key() const;
};

// All fields in the order of the help, without "command", which is the arguments.
const QList<JobField> &jobFields();

// Finds a field by the name of its option. Returns null if there is none.
const JobField *findJobField(const QString &name);

// A job file in JSON for this job, with the keys of its fields. JobFile reads an equal job from it. Times and paths are
// absolute.
QJsonObject jobFileJson(const jobs::JobSpec &spec);

} // namespace drover::app
