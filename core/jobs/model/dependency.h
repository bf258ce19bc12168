#pragma once

#include "jobs/model/job_id.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace drover::jobs {

// A dependency of a job on another: "any:default-41". If the other job ends in a way that cannot satisfy the
// dependency, the job ends as cancelled.
struct Dependency {
    enum class Kind {
        Begun, // "begun": the other has begun, or has ended without it
        Ok, // "ok": it has succeeded
        Failed, // "fail": it has failed or was cancelled
        Any, // "any": it has ended
    };

    Kind kind = Kind::Any;
    JobId on;
    // At a submit, the range that named the job. Not stored: a range means those of its numbers that are jobs by then.
    std::optional<JobRange> range{};
    // At a submit, the tag of the jobs that are meant, instead of `on`. Not stored either.
    QString tag{};

    // Returns nothing if the text is not a valid dependency.
    static std::optional<Dependency> parse(const QString &text);
    QString toString() const;

    friend bool operator==(const Dependency &, const Dependency &) = default;
};

QStringList toStrings(const std::vector<Dependency> &dependencies);
// Throws Malformed.
std::vector<Dependency> dependenciesFrom(const QStringList &texts);

} // namespace drover::jobs
