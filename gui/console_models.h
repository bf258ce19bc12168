#pragma once

#include "gui/feeds/console_session.h"
#include "gui/models/job_model.h"
#include "gui/models/lock_model.h"
#include "gui/models/queue_history.h"
#include "gui/models/worker_model.h"
#include "gui/models/znode_model.h"

namespace drover::gui {

// All that a console knows, on the GUI thread.
struct ConsoleModels {
    ZnodeModel znodes;
    JobModel jobs;
    WorkerModel workers;
    LockModel locks;
    QueueHistory queues;
};

// Lets the feeds of `session` fill the models, and the tree tell the feed what is open. Across threads by queued
// signals.
void connectModels(ConsoleModels &models, ConsoleSession &session);

} // namespace drover::gui
