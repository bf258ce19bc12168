#pragma once

#include "gui/inspector/facts.h"
#include "gui/inspector/sources.h"
#include "jobs/client/job_lookup.h"

namespace drover::gui {

// The facts of a job. `why` has the reasons for which it does not run.
Facts jobFacts(const Sources &sources, const jobs::JobView &job, const QStringList &why);

// What was submitted, as far as the cluster or the record has it.
std::optional<jobs::JobSpec> specOf(const jobs::JobView &job);
bool isArray(const jobs::JobView &job);

} // namespace drover::gui
