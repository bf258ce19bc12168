#pragma once

#include "gui/models/events/event_model.h"
#include "gui/models/job_model.h"
#include "gui/models/lock_model.h"
#include "gui/models/queue_table.h"
#include "gui/models/replay/listing_model.h"
#include "gui/models/worker_model.h"
#include "gui/recording/recorded.h"

namespace drover::gui {

// What was true at one recorded moment, in the models that the other pages have of now.
struct ReplayModels {
    JobModel jobs;
    QueueTable queues;
    LockModel locks;
    WorkerModel workers;
    ListingModel znodes;
    EventModel events; // before it

    void show(const Moment &moment);
};

} // namespace drover::gui
