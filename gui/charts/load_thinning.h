#pragma once

#include "gui/data/load_sample.h"

#include <chrono>
#include <vector>

namespace drover::gui {

// Samples that are older than `age` are at least `width` wide.
struct LoadTier {
    std::chrono::milliseconds age;
    std::chrono::milliseconds width;
};

// The width of a new sample, and the age at which one is forgotten.
constexpr std::chrono::milliseconds FreshWidth{5'000};
constexpr std::chrono::hours KeptFor{24 * 30};

// What is kept of samples, in the order of time, at the moment `now`. Samples between which something is not known are
// not joined, so that an outage stays a gap.
std::vector<LoadSample> keptAt(qint64 now, const std::vector<LoadSample> &samples);

} // namespace drover::gui
