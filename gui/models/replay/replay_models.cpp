#include "gui/models/replay/replay_models.h"

namespace drover::gui {

void ReplayModels::show(const Moment &moment)
{
    jobs.show(moment.jobs);
    queues.show(moment.queues);
    locks.show(moment.locks);
    locks.showDeadlocks(findDeadlocks(moment.locks)); // of one moment
    workers.show(moment.workers);
    workers.showLoads(moment.loads);
    znodes.show(moment.znodes);
    events.clear();
    events.add(moment.events);
}

} // namespace drover::gui
