#pragma once

#include <QString>

#include <chrono>

namespace drover::jobs {

// One reason why a job is in its present state, and advice.
struct Reason {
    QString what; // "no worker has the label gpu"
    QString advice{}; // "start one: drover worker --label gpu"; empty: wait
};

// "2026-05-01 18:30:00", in local time
QString timeOfDay(std::chrono::milliseconds sinceEpoch);

} // namespace drover::jobs
