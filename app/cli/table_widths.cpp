#include "app/cli/table_widths.h"

#include <algorithm>

namespace drover::app {

namespace {

int totalOf(const QList<int> &widths, int gap)
{
    int total = -gap;
    for (const int width : widths)
        total += width > 0 ? width + gap : 0;
    return total;
}

QList<int> cut(const QList<ColumnWidth> &columns, int room, int gap)
{
    QList<int> widths;
    for (const ColumnWidth &column : columns)
        widths.append(column.width);
    for (qsizetype c = columns.size() - 1; c >= 0; --c) {
        const int tooMuch = std::max(0, totalOf(widths, gap) - room);
        widths[c] = std::max(std::min(widths[c], columns[c].least), widths[c] - tooMuch);
    }
    return widths;
}

} // namespace

QList<int> fittedWidths(QList<ColumnWidth> columns, int room, int gap)
{
    for (;;) {
        const QList<int> widths = cut(columns, room, gap);
        const auto goesBefore = [](const ColumnWidth &a, const ColumnWidth &b) {
            const auto rank = [](const ColumnWidth &one) {
                return std::pair(one.width == 0 || one.leaveOut == 0, one.leaveOut);
            };
            return rank(a) < rank(b);
        };
        const auto next = std::min_element(columns.begin(), columns.end(), goesBefore);
        const bool mayGo = next != columns.end() && next->width > 0 && next->leaveOut > 0;
        if (totalOf(widths, gap) <= room || !mayGo)
            return widths;
        *next = ColumnWidth();
    }
}

} // namespace drover::app
