#include "gui/kit/layered_layout.h"

#include <algorithm>
#include <optional>

namespace drover::gui {

namespace {

using Neighbours = std::vector<std::vector<int>>;

// The nodes so that arrows lead forwards, and the arrows without those that would lead back. Without recursion: a chain
// may be long.
std::vector<int> ordered(const Neighbours &all, Neighbours &forward)
{
    enum class Mark { New, OnTheWay, Done };
    std::vector<Mark> marks(all.size(), Mark::New);
    std::vector<int> order;
    for (std::size_t first = 0; first < all.size(); ++first) {
        std::vector<std::pair<int, std::size_t>> way;
        if (marks[first] == Mark::New)
            way.emplace_back(int(first), 0);
        while (!way.empty()) {
            auto &[node, next] = way.back();
            const auto here = std::size_t(node);
            marks[here] = Mark::OnTheWay;
            if (next == all[here].size()) {
                marks[here] = Mark::Done;
                order.push_back(node);
                way.pop_back();
                continue;
            }
            const int to = all[here][next++];
            if (marks[std::size_t(to)] == Mark::OnTheWay)
                continue; // it closes a circle
            forward[here].push_back(to);
            if (marks[std::size_t(to)] == Mark::New)
                way.emplace_back(to, 0);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

// Puts the nodes of a column in the order of the mean row of their neighbours, a few times to and fro.
void untangle(std::vector<std::vector<int>> &columns, const Neighbours &near, std::vector<LayeredLayout::Place> &places)
{
    constexpr int Sweeps = 4;
    const auto mean = [&](int node) {
        const std::vector<int> &others = near[std::size_t(node)];
        double sum = 0;
        for (const int other : others)
            sum += places[std::size_t(other)].row;
        return others.empty() ? places[std::size_t(node)].row : sum / double(others.size());
    };
    for (int sweep = 0; sweep < Sweeps; ++sweep) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            std::vector<int> &column = columns[sweep % 2 == 0 ? i : columns.size() - 1 - i];
            std::vector<std::pair<double, int>> wanted;
            for (const int node : column)
                wanted.emplace_back(mean(node), node);
            std::stable_sort(wanted.begin(), wanted.end(),
                             [](const auto &a, const auto &b) { return a.first < b.first; });
            for (std::size_t row = 0; row < wanted.size(); ++row) {
                column[row] = wanted[row].second;
                places[std::size_t(column[row])].row = double(row);
            }
        }
    }
}

// The nodes of each part that arrows join, in the order of their numbers.
std::vector<std::vector<int>> partsOf(const Neighbours &near)
{
    std::vector<std::vector<int>> parts;
    std::vector<bool> seen(near.size());
    for (std::size_t first = 0; first < near.size(); ++first) {
        if (seen[first])
            continue;
        std::vector<int> part{int(first)};
        seen[first] = true;
        for (std::size_t next = 0; next < part.size(); ++next) {
            for (const int other : near[std::size_t(part[next])]) {
                if (!seen[std::size_t(other)])
                    part.push_back(other);
                seen[std::size_t(other)] = true;
            }
        }
        std::sort(part.begin(), part.end());
        parts.push_back(std::move(part));
    }
    return parts;
}

// Moves a part to below `top`, each column in the middle. Returns the row below it.
double putBelow(double top, const std::vector<std::vector<int>> &columns, std::vector<LayeredLayout::Place> &places)
{
    std::size_t rows = 0;
    for (const std::vector<int> &column : columns)
        rows = std::max(rows, column.size());
    for (const std::vector<int> &column : columns) {
        for (const int node : column) {
            LayeredLayout::Place &place = places[std::size_t(node)];
            place.row += top + double(rows - column.size()) / 2;
            place.lastRow = top + double(rows) - 1;
        }
    }
    return top + double(rows);
}

} // namespace

LayeredLayout LayeredLayout::of(std::size_t nodes, const std::vector<std::pair<int, int>> &arrows)
{
    Neighbours all(nodes);
    Neighbours forward(nodes);
    Neighbours near(nodes);
    for (const auto &[from, to] : arrows) {
        if (from == to)
            continue;
        all[std::size_t(from)].push_back(to);
        near[std::size_t(from)].push_back(to);
        near[std::size_t(to)].push_back(from);
    }
    LayeredLayout layout;
    layout.places.resize(nodes);
    std::vector<bool> isFirst(nodes, true); // no arrow leads there: it stands before the first to which it leads
    for (const int node : ordered(all, forward)) {
        for (const int to : forward[std::size_t(node)]) {
            int &column = layout.places[std::size_t(to)].column;
            column = std::max(column, layout.places[std::size_t(node)].column + 1);
            isFirst[std::size_t(to)] = false;
        }
    }
    for (std::size_t node = 0; node < nodes; ++node) {
        std::optional<int> next;
        for (const int to : forward[node]) {
            const int column = layout.places[std::size_t(to)].column;
            next = std::min(next.value_or(column), column);
        }
        if (isFirst[node] && next)
            layout.places[node].column = *next - 1;
    }
    double free = 0;
    for (const std::vector<int> &part : partsOf(near)) {
        std::vector<std::vector<int>> columns;
        bool hasCircle = false;
        for (const int node : part) {
            Place &place = layout.places[std::size_t(node)];
            hasCircle = hasCircle || forward[std::size_t(node)].size() < all[std::size_t(node)].size();
            if (columns.size() <= std::size_t(place.column))
                columns.resize(std::size_t(place.column) + 1);
            place.row = double(columns[std::size_t(place.column)].size());
            columns[std::size_t(place.column)].push_back(node);
        }
        untangle(columns, near, layout.places);
        free = putBelow(free, columns, layout.places) + (hasCircle ? 1.5 : 0.5);
        layout.columns = std::max(layout.columns, int(columns.size()));
    }
    return layout;
}

} // namespace drover::gui
