#pragma once

#include "jobs/audit/audit_note.h"

#include <chrono>
#include <optional>

namespace drover::jobs {

// An order to a worker to claim no jobs until the cordon is lifted: the JSON of cordons/<worker>. It outlives the
// worker, so a worker that restarts under its name is still cordoned.
struct Cordon {
    QString by; // user@host
    QString why;
    std::chrono::milliseconds at{}; // Unix epoch

    QByteArray encode() const;
    static Cordon decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &cordon);
};

// All are safe to repeat, wait out lost connections and throw SessionLost.

// Replaces an existing cordon. Like uncordon(), it notes in the audit who did it; `action` is what is noted.
async::Task<void> cordon(Cluster cluster, QByteArray worker, Cordon cordon,
                         AuditAction action = AuditAction::WorkerCordoned);
// Cordons a worker in the name of this user. A cordon that stands keeps its reason, unless another is given. Returns
// false if there is neither such a worker nor a cordon of it.
async::Task<bool> placeCordon(Cluster cluster, QByteArray worker, std::optional<QString> why, AuditAction action);
async::Task<void> uncordon(Cluster cluster, QByteArray worker);
// A cordon that cannot be read still holds.
async::Task<std::optional<Cordon>> cordonOf(Cluster cluster, QByteArray worker);

} // namespace drover::jobs
