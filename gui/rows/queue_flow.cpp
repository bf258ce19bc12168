#include "gui/rows/queue_flow.h"

#include <algorithm>

namespace drover::gui {

void QueueFlow::see(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries)
{
    std::vector<jobs::JobId> there;
    there.reserve(entries.size());
    for (const jobs::QueueEntry &entry : entries) {
        if (entry.jobClass != jobs::QueueEntry::Class::Array)
            there.push_back(entry.idIn(queue));
    }
    std::sort(there.begin(), there.end());
    if (m_isKnown) {
        std::vector<jobs::JobId> same;
        std::set_intersection(there.begin(), there.end(), m_there.begin(), m_there.end(), std::back_inserter(same));
        m_came += qint64(there.size() - same.size());
        m_left += qint64(m_there.size() - same.size());
    }
    m_isKnown = true;
    m_there = std::move(there);
}

} // namespace drover::gui
