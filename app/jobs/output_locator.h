#pragma once

#include "app/environment/context.h"
#include "jobs/model/final_record.h"
#include "output/output_source.h"

namespace drover::app {

// A source for the output of a job: a spool of this machine, or its worker.
struct OutputPlace {
    std::unique_ptr<output::OutputSource> source; // null: not available
    QString trouble; // why `source` is null, for people
};

// For jobs that a worker of this name runs now. Throws SessionLost.
async::Task<OutputPlace> placeOfRunning(Context &context, jobs::Cluster cluster, QString worker);

// For a job that has ended: its worker's spool. If that worker is gone, the default spool of this machine, or the spool
// of another worker on the old worker's machine. The attempt's files must have the sizes in its record, because an
// older cluster of this name may have left others. Throws SessionLost.
async::Task<OutputPlace> placeOfEnded(Context &context, jobs::Cluster cluster, jobs::FinalRecord record);

// A place that has output of an attempt before the latest one. No record says which worker ran it, so every present
// worker is asked, `likely` first. Then the default spool of this machine, if what it has was written after the job was
// submitted. An older cluster of this name may have left others. `claimVersion`: AttemptCount. Throws SessionLost.
async::Task<OutputPlace> placeOfEarlier(Context &context, jobs::Cluster cluster, jobs::JobId id, int claimVersion,
                                        QString likely, std::chrono::milliseconds submittedAt);

// The default spool of a worker. The workers of one user on one machine share it, so output is found after its worker
// has gone.
QString defaultSpool(const QByteArray &cluster);

} // namespace drover::app
