#include "gui/models/replay/replay_models.h"

#include "gui/data/line_name.h"

namespace drover::gui {

void ReplayModels::show(const Moment &moment)
{
    jobs.show(moment.jobs);
    queues.show(moment.queues);
    locks.show(moment.locks);
    QList<LockRow> rows = moment.locks;
    for (LockRow &row : rows)
        row.isOfSeveral = kindOfLine(row.lock) == LineKind::Limit; // which is not recorded
    locks.showDeadlocks(findDeadlocks(rows)); // of one moment
    workers.show(moment.workers);
    workers.showLoads(moment.loads);
    znodes.show(moment.znodes);
    events.clear();
    events.add(moment.events);
}

} // namespace drover::gui
