#pragma once

#include "jobs/model/job_notes.h"
#include "jobs/model/job_state.h"
#include "jobs/model/json_fields.h"

#include <vector>

namespace drover::jobs {

// The data of a job's ephemeral claim: which worker has the job now. Clients leave requests for the worker in it. Each
// change names the version that it is based on, so that no request is lost.
struct Claim {
    static constexpr int KeptSignals = 16;

    struct Signal {
        int number = 0;
        QString key; // made by the sender, to find the signal again

        friend bool operator==(const Signal &, const Signal &) = default;
    };

    QString worker;
    AttemptCount attempts{1, 0}; // claimVersion fences the attempt, names its output
    QByteArray entry; // the job's node name in its queue
    bool cancelled = false; // the worker kills the job
    int slotCount = 1; // the worker's slots that the job takes
    // "lock db": what the job waits for at its worker, when that takes a while. Empty: it runs, or will soon.
    QString waits{};
    // A value of `waits`: the job has its slots already, and keeps them while its gang assembles.
    static constexpr QLatin1String ItsGang{"the other members of its gang"};
    // The job waits at the worker and has not begun. A client that deletes the claim prevents its start.
    bool pending = false;
    // The worker claimed the job before a slot was free. The job begins or is given back within a moment; the worker
    // clears the mark once the job runs.
    bool prefetched = false;
    bool requeue = false; // the worker kills the job and gives it back
    int signalCount = 0; // all signals so far; the worker counts the delivered ones
    std::vector<Signal> latestSignals{}; // at most KeptSignals

    // False while the job waits at its worker, as far as the claim shows.
    bool hasBegun() const { return !pending && !prefetched && waits.isEmpty(); }
    bool takesSlots() const { return hasBegun() || waits == ItsGang; }
    // A job that waits at its worker, for a lock or for room, does not run.
    JobState state() const { return hasBegun() ? JobState::Running : JobState::Waiting; }

    void addSignal(int number, const QString &key);
    bool hasSignal(const QString &key) const;

    QByteArray encode() const;
    static Claim decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &claim);
};

} // namespace drover::jobs
