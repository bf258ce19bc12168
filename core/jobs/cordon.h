#pragma once

#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <chrono>
#include <optional>

namespace drover::jobs {

// That a worker is to claim nothing, until somebody lifts it: the JSON of cordons/<worker>. It outlives the worker, so
// one that comes back under its name is still cordoned.
struct Cordon {
    QString by; // user@host
    QString why;
    std::chrono::milliseconds at{}; // Unix epoch

    QByteArray encode() const;
    static Cordon decode(const QByteArray &bytes); // throws Malformed
};

// All are safe to repeat, wait out lost connections and throw SessionLost.

// What is there already is replaced.
async::Task<void> cordon(zk::Coordinator &zk, Layout layout, QByteArray worker, Cordon cordon);
async::Task<void> uncordon(zk::Coordinator &zk, Layout layout, QByteArray worker);
// One that cannot be read is one all the same.
async::Task<std::optional<Cordon>> cordonOf(zk::Coordinator &zk, Layout layout, QByteArray worker);

} // namespace drover::jobs
