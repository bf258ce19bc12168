#pragma once

#include "gui/charts/load_history.h"
#include "gui/charts/queue_loads.h"
#include "gui/feeds/console_session.h"
#include "gui/models/attempt_log.h"
#include "gui/models/ensemble_history.h"
#include "gui/models/ensemble_model.h"
#include "gui/models/events/event_model.h"
#include "gui/models/events/subscriptions.h"
#include "gui/models/job_model.h"
#include "gui/models/lock_model.h"
#include "gui/models/queue_history.h"
#include "gui/models/queue_table.h"
#include "gui/models/schedules/schedule_model.h"
#include "gui/models/wait_model.h"
#include "gui/models/worker_model.h"
#include "gui/models/znode_model.h"

namespace drover::gui {

// All models of the console, on the GUI thread.
struct ConsoleModels {
    ZnodeModel znodes;
    JobModel jobs;
    WorkerModel workers;
    LockModel locks;
    EnsembleModel ensemble;
    EnsembleHistory ensembleHistory;
    EventModel events;
    Subscriptions subscriptions;
    ScheduleModel schedules;
    WaitModel waits;
    QueueHistory queues;
    QueueTable queueTable;
    AttemptLog attempts;
    LoadHistory load;
    QueueLoads queueLoads;
};

// Connects the feeds of `session` with the models, and the tree with its feed, by queued signals across threads.
void connectModels(ConsoleModels &models, ConsoleSession &session);

} // namespace drover::gui
