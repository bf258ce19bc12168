#pragma once

#include "async/boot_clock.h"
#include "jobs/job_spec.h"
#include "jobs/members.h"

#include <QHash>

#include <deque>
#include <optional>

namespace drover::workers {

// How many places workers have free for the members of a gang, and how many more will come free soon. The master notes
// what it sees every few seconds while a gang waits.
//
// A slot is expected to come free within a time if the job in it began within that time, and if as many slots of its
// worker did come free within it. So jobs that follow one another are expected to end, and jobs that run for long are
// not. All times are those of this process's clock: a job that was there at the first look began before it.
class PlaceForecast
{
public:
    // For how long a gang may keep places while the others are to come free.
    static constexpr std::chrono::minutes Shortest{1};
    static constexpr std::chrono::minutes Longest{8};

    // `workers` are those that may claim jobs now.
    void note(std::vector<jobs::WorkerInfo> workers, const std::vector<jobs::StoredClaim> &claims,
              async::TimePoint now);
    // What was noted is good enough to decide by.
    bool isFresh(async::TimePoint now) const;

    // How long it is worth to keep places for this gang, from Shortest to Longest: within that time all its members
    // should have theirs. Nothing if they will not.
    std::optional<std::chrono::milliseconds> patienceFor(const jobs::JobSpec &gang, async::TimePoint now) const;

private:
    struct Taken {
        QString worker;
        int slotCount = 1;
        std::optional<async::TimePoint> since; // nothing: before the first look
    };
    struct Freed {
        QString worker;
        int slotCount;
        async::TimePoint at;
    };

    std::map<QString, int> takenFor(async::Duration time, async::TimePoint now) const;
    int freedWithin(async::Duration time, const QString &worker, async::TimePoint now) const;

    std::vector<jobs::WorkerInfo> m_workers;
    QHash<jobs::JobId, Taken> m_taken;
    std::deque<Freed> m_freed; // within the last Longest
    async::TimePoint m_first{}; // look
    std::optional<async::TimePoint> m_latest; // the same
};

} // namespace drover::workers
