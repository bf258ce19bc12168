#pragma once

#include <QString>

#include <chrono>

namespace drover::jobs {

// Why a job is where it is: what keeps it, and what would help.
struct Reason {
    QString what; // "no worker has the label gpu"
    QString advice{}; // "start one: drover worker --label gpu"; empty: nothing to do but wait
};

// In the words of reasons.
QString lasting(std::chrono::milliseconds time); // "31 s", "2 h 5 min"
QString timeOfDay(std::chrono::milliseconds sinceEpoch);

} // namespace drover::jobs
