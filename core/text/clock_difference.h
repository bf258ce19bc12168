#pragma once

#include <QString>

#include <chrono>

namespace drover::text {

// A clock that differs by less is called right.
inline constexpr std::chrono::seconds ClockTolerance{30};

// How a machine's clock differs from the one that all go by: "4m10s ahead of ZooKeeper's", or with a negative duration
// "12.3s behind ZooKeeper's".
QString clockDifference(std::chrono::milliseconds ahead);

} // namespace drover::text
