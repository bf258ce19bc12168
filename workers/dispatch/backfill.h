#pragma once

#include "async/loop.h"
#include "jobs/model/job_spec.h"

#include <optional>

namespace drover::workers {

// Backfill: decides which jobs may start although the free slots are kept for another job. A job may if it will end
// before the other job's room is free: certainly, by its time limit, or probably, by the usual duration.
class Backfill
{
public:
    // `usual`: the usual duration of a job here.
    Backfill(async::Duration untilRoom, std::optional<async::Duration> usual) : m_untilRoom(untilRoom), m_usual(usual)
    {
    }

    bool mayBackfill(const jobs::JobSpec &spec) const
    {
        constexpr int marginOfUsual = 4; // a job may take longer than those before it
        if (spec.timeLimit.count() > 0)
            return spec.timeLimit + spec.killGrace <= m_untilRoom;
        return m_usual && *m_usual * marginOfUsual <= m_untilRoom;
    }

private:
    async::Duration m_untilRoom;
    std::optional<async::Duration> m_usual;
};

} // namespace drover::workers
