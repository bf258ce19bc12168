#include "gui/kit/lanes.h"

#include <algorithm>

namespace drover::gui {

std::vector<Lane> inLanes(const std::vector<std::pair<qreal, qreal>> &stretches)
{
    std::vector<Lane> lanes;
    std::vector<qreal> ends; // of the lanes of the group that is being laid
    std::size_t first = 0; // stretch of that group
    const auto endGroup = [&] {
        for (; first < lanes.size(); ++first)
            lanes[first].count = ends.size();
        ends.clear();
    };
    for (const auto &[begin, end] : stretches) {
        const auto isOver = [limit = begin](qreal of) { return of <= limit; };
        if (std::all_of(ends.begin(), ends.end(), isOver))
            endGroup();
        const auto lane = std::find_if(ends.begin(), ends.end(), isOver);
        lanes.push_back({std::size_t(lane - ends.begin())});
        if (lane == ends.end())
            ends.push_back(0);
        ends[lanes.back().number] = end;
    }
    endGroup();
    return lanes;
}

} // namespace drover::gui
