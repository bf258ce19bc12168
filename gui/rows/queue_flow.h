#pragma once

#include "jobs/model/job_id.h"
#include "jobs/model/queue_entry.h"

#include <vector>

namespace drover::gui {

// How many jobs came into a queue and left it, counted by comparing its listings. What came and left between two
// listings is not seen. An array is not counted, and its tasks are.
class QueueFlow
{
public:
    void see(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries); // the whole queue

    qint64 came() const { return m_came; } // since the first listing
    qint64 left() const { return m_left; }

private:
    bool m_isKnown = false; // a listing was seen
    std::vector<jobs::JobId> m_there; // sorted
    qint64 m_came = 0;
    qint64 m_left = 0;
};

} // namespace drover::gui
