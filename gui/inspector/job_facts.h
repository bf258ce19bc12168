#pragma once

#include "gui/inspector/facts.h"
#include "gui/inspector/sources.h"
#include "jobs/client/job_lookup.h"

namespace drover::gui {

// What is known of a job. `why`: why it does not run, one reason each.
Facts jobFacts(const Sources &sources, const jobs::JobView &job, const QStringList &why);

// What was submitted, as far as the cluster or the record has it.
std::optional<jobs::JobSpec> specOf(const jobs::JobView &job);
bool isArray(const jobs::JobView &job);

} // namespace drover::gui
