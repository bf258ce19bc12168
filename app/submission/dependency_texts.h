#pragma once

#include "jobs/model/dependency.h"

#include <QStringList>

#include <vector>

namespace drover::app {

// What one word of --after or its like means: the job default-42, or each number of the range default-3..17 or
// default-42.1..9. A range has at most 1,000 numbers. withDependencies() leaves out those that are not jobs. The word
// tag:nightly means the jobs with that tag, which withDependencies() looks up.
// `what` begins the message of the UsageError that a bad word throws.
std::vector<jobs::Dependency> parseDependencies(jobs::Dependency::Kind kind, const QString &text, const QString &what);

// The words that mean those of this kind again.
QStringList dependencyTexts(const std::vector<jobs::Dependency> &dependencies, jobs::Dependency::Kind kind);

} // namespace drover::app
