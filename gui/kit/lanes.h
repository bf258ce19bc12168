#pragma once

#include <QtGlobal>

#include <cstddef>
#include <utility>
#include <vector>

namespace drover::gui {

// The place of a stretch beside those that it overlaps.
struct Lane {
    std::size_t number = 0; // from 0 on
    std::size_t count = 1; // lanes of its group: the stretches that overlap one another, also by way of others

    friend bool operator==(const Lane &, const Lane &) = default;
};

// The lane of each stretch, so that none covers another: the first that is free where it begins. The stretches are
// given by begin and end, in the order of their begins.
std::vector<Lane> inLanes(const std::vector<std::pair<qreal, qreal>> &stretches);

} // namespace drover::gui
