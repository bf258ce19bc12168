#pragma once

#include "async/boot_clock.h"
#include "jobs/cluster/members.h"
#include "jobs/model/job_spec.h"

#include <QHash>

#include <deque>
#include <optional>

namespace drover::workers {

// Predicts how many places the workers have free for the members of a gang, now and within the next minutes. The master
// passes in what it reads every few seconds while a gang waits.
//
// A slot is expected to become free within a time T under two conditions. Its job began within the last T, and as many
// slots of its worker became free within the last T. So short jobs that follow one another are expected to end, and
// long jobs are not. All times are by this process's clock: a job that existed at the first look began before it.
class PlaceForecast
{
public:
    // How long a gang may keep places idle while it waits for the rest.
    static constexpr std::chrono::minutes Shortest{1};
    static constexpr std::chrono::minutes Longest{8};

    // `workers` are those that may claim jobs now.
    void note(std::vector<jobs::WorkerInfo> workers, const std::vector<jobs::StoredClaim> &claims,
              async::TimePoint now);
    // The latest note is recent enough to decide by.
    bool isFresh(async::TimePoint now) const;

    // The time, from Shortest to Longest, within which all members of this gang should have a place; nothing if they
    // will not.
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
    std::optional<async::TimePoint> m_latest; // look
};

} // namespace drover::workers
