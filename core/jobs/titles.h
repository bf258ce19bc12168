#pragma once

#include "jobs/queue_entry.h"

#include <QString>

namespace drover::jobs {

// Which jobs of a queue have the same name, as singletons understand it (JobSpec::singleton).

// The unfinished jobs of a listing with numbers up to `last`. Without tasks: their array is there as long as they are.
std::vector<QueueEntry> jobsUpTo(const QByteArrayList &names, qint32 last);

// JobSpec::title() of what a job's node stores; empty, and so nobody's, if that is not to be understood.
QString titleIn(const QByteArray &stored, const QByteArray &queue);

} // namespace drover::jobs
