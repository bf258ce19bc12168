#pragma once

#include "jobs/model/job_id.h"
#include "workers/master/base/troubles.h"

#include <set>

namespace drover::workers {

// The jobs whose end is unknown although other jobs wait for it. Those go on waiting, and Troubles says so. No watch
// reports that one of them was cancelled, so they have to be read again from time to time.
class UnknownEnds
{
public:
    // Both outlive this object.
    UnknownEnds(async::Loop &loop, DutyTroubles &troubles) : m_loop(loop), m_troubles(troubles) { }

    void add(const jobs::JobId &id);
    // Its end is known, or no job waits for it any more.
    void remove(const jobs::JobId &id);

    // All of them, once a minute; otherwise none.
    std::set<jobs::JobId> takeDue();
    // How long to wait before the next takeDue(); nothing if there is none.
    std::optional<async::Duration> untilNext() const;

private:
    async::Loop &m_loop;
    DutyTroubles &m_troubles;
    std::set<jobs::JobId> m_ids;
    async::TimePoint m_nextLook{};
};

} // namespace drover::workers
