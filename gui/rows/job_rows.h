#pragma once

#include "gui/data/snapshots.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/model/claim.h"
#include "jobs/model/final_record.h"
#include "zk/types.h"

namespace drover::gui {

// The rows of the table of jobs, from what is stored about one job. What cannot be read makes a row with a note.

// `row` has the job's id; `node` is that of an unfinished job, in whose name the priority stands.
JobRow unfinishedRow(JobRow row, const zk::Node &node, int priority);
// `node` is the job's final record in ZooKeeper.
JobRow endedRow(JobRow row, const zk::Node &node);
// `endedAt`: ms of the Unix epoch.
JobRow endedRow(const jobs::FinalRecord &record, qint64 endedAt);

// What a job waits for whose queue is paused: "paused queue: why (X)"; and of the queue itself: "paused by X: why".
QString waitsForQueue(const jobs::QueueSettings &settings);
QString pauseText(const jobs::QueueSettings &settings);

// What a claimed job waits for at its worker, in a word and in a sentence; empty if it runs.
QString waitsAtWorker(const jobs::Claim &claim);
QString noteOn(const jobs::Claim &claim);

} // namespace drover::gui
