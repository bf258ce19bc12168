#pragma once

#include "jobs/job_id.h"

#include <QStringList>

#include <vector>

namespace drover::jobs {

// What a job waits for: "any:default-41". A job that can never start, because what it waits for ended the other way,
// ends as cancelled.
struct Dependency {
    enum class Kind {
        Begun, // "begun": the other has begun to run, or has ended without
        Ok, // "ok": it has succeeded
        Failed, // "fail": it has failed or was cancelled
        Any, // "any": it has ended
    };

    Kind kind = Kind::Any;
    JobId on;

    // Nothing if it is not one.
    static std::optional<Dependency> parse(const QString &text);
    QString toString() const;

    friend bool operator==(const Dependency &, const Dependency &) = default;
};

QStringList toStrings(const std::vector<Dependency> &dependencies);
// Throws Malformed.
std::vector<Dependency> dependenciesFrom(const QStringList &texts);

} // namespace drover::jobs
