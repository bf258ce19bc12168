#include "recipes/elections/leader_selector.h"

#include <QScopedValueRollback>

namespace drover::recipes {

async::Task<bool> LeaderSelector::run(QByteArray id, TakeLeadership takeLeadership, Requeue requeue)
{
    for (;;) {
        Leadership leadership = co_await m_line.campaign(id);
        const QScopedValueRollback<bool> leads(m_leads, true);
        const bool ended = co_await whileLeaseCertain(leadership, takeLeadership(leadership));
        if (requeue == Requeue::Never)
            co_return ended;
    }
}

} // namespace drover::recipes
