#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"
#include "output/output_source.h"

#include <memory>

namespace drover::output {

// Where the output of an attempt is after its end: its worker's spool keeps it for a time (worker --spool-keep,
// --spool-size).

// A request for the sizes of both streams alone.
OutputRequest sizesOf(const jobs::JobId &id, int attempt);

// Why a source does not have the output of the attempt that the record tells of, in one line. Empty: it has all that
// was kept. The files must have the sizes in the record, because an older cluster of this name may have left others.
async::Task<QString> whyNotIn(OutputSource &source, jobs::FinalRecord record);

// Where it is if the record's worker has gone. Another worker of its machine, as far as names tell, may have its spool.
// Null if none has it, or if the members cannot be listed. Throws SessionLost.
async::Task<std::unique_ptr<OutputSource>> sourceAtSuccessor(jobs::Cluster cluster, jobs::FinalRecord record);

// The worker that has it: the record's, or one of its successors. Throws OutputLost, which says why the record's worker
// does not have it, and SessionLost. A lost reply is asked for again.
async::Task<std::unique_ptr<OutputSource>> sourceOfEnded(jobs::Cluster cluster, jobs::FinalRecord record);

} // namespace drover::output
