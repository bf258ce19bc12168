#pragma once

#include "jobs/model/job_spec.h"

#include <QList>

namespace drover::jobs {

// One field of a job's description, as an option of `drover submit` has it.
struct JobOption {
    enum class Kind {
        Text,
        List, // several texts
        Flag, // no text
    };

    QString name; // "time-limit"
    QString help;
    QString placeholder;
    Kind kind = Kind::Text;
};

// How a job is described by texts: what `drover submit` understands, for windows that have a field for each option.
class JobOptions
{
public:
    virtual ~JobOptions() = default;

    virtual QList<JobOption> all() const = 0;
    // Sets the field. Returns what is wrong with the values, in one line, or nothing.
    virtual QString apply(JobSpec &spec, const QString &name, const QStringList &values) const = 0;
    // The values that give the field of this job again; empty: it is not set. A flag that is set has one empty value.
    virtual QStringList valuesOf(const JobSpec &spec, const QString &name) const = 0;
    // Completes a job whose fields are all set. Returns what is wrong with them together, or nothing.
    virtual QString complete(JobSpec &spec) const = 0;
    // A job file, TOML or JSON; `place` is its name for messages. Returns what is wrong with it, or nothing.
    virtual QString read(const QByteArray &file, const QString &place, JobSpec &spec) const = 0;
    // The job file in JSON from which read() makes an equal job.
    virtual QByteArray write(const JobSpec &spec) const = 0;
};

} // namespace drover::jobs
