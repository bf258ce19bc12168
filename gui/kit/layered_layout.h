#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace drover::gui {

// Where the nodes of a directed graph stand: arrows lead from one column to a later one, but for those that close a
// circle. A node to which none leads stands in the column before the first to which it leads. Parts of the graph that
// no arrow joins stand below each other, in the order of their first nodes.
struct LayeredLayout {
    struct Place {
        int column = 0;
        double row = 0; // a short column stands in the middle of its part
        double lastRow = 0; // of its part; arrows that lead back have room below it
    };
    std::vector<Place> places; // of each node
    int columns = 0;

    // `arrows` are pairs of nodes, from and to. The cost is that of sorting them a few times.
    static LayeredLayout of(std::size_t nodes, const std::vector<std::pair<int, int>> &arrows);
};

} // namespace drover::gui
