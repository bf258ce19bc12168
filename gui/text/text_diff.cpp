#include "gui/text/text_diff.h"

#include <QStringList>

#include <algorithm>
#include <vector>

namespace drover::gui {

namespace {

constexpr qsizetype MaxCells = 4'000'000; // of the table of common lines
constexpr qsizetype Context = 3; // lines that are shown around a change

// Of the middle, where the first and last lines differ: the longest common subsequence, by its textbook table.
void appendMiddle(const QStringList &before, const QStringList &after, QList<DiffLine> &diff)
{
    const qsizetype rows = before.size();
    const qsizetype columns = after.size();
    const bool isSmall = rows * columns <= MaxCells;
    std::vector<int> longest(std::size_t(isSmall ? (rows + 1) * (columns + 1) : 0));
    const auto at = [&](qsizetype row, qsizetype column) -> int & {
        return longest[std::size_t(row * (columns + 1) + column)];
    };
    for (qsizetype row = rows - 1; isSmall && row >= 0; --row) {
        for (qsizetype column = columns - 1; column >= 0; --column)
            at(row, column) = before[row] == after[column] ? at(row + 1, column + 1) + 1
                                                           : std::max(at(row + 1, column), at(row, column + 1));
    }
    qsizetype row = 0;
    qsizetype column = 0;
    while (row < rows || column < columns) {
        if (isSmall && row < rows && column < columns && before[row] == after[column]) {
            diff.append({DiffLine::Same, before[row++]});
            ++column;
        } else if (row < rows && (!isSmall || column == columns || at(row + 1, column) >= at(row, column + 1))) {
            diff.append({DiffLine::Removed, before[row++]});
        } else {
            diff.append({DiffLine::Added, after[column++]});
        }
    }
}

QList<DiffLine> withoutFarLines(const QList<DiffLine> &diff)
{
    QList<DiffLine> shown;
    for (qsizetype begin = 0; begin < diff.size();) {
        qsizetype end = begin;
        while (end < diff.size() && diff[end].kind == DiffLine::Same)
            ++end;
        const qsizetype first = begin == 0 ? 0 : begin + Context; // to skip
        const qsizetype last = end == diff.size() ? end : end - Context;
        if (last - first > 1) {
            shown += diff.mid(begin, first - begin);
            shown.append({DiffLine::Skipped, {}, last - first});
            shown += diff.mid(last, end - last);
        } else {
            shown += diff.mid(begin, end - begin);
        }
        while (end < diff.size() && diff[end].kind != DiffLine::Same)
            shown.append(diff[end++]);
        begin = end;
    }
    return shown;
}

} // namespace

QList<DiffLine> diffLines(const QString &before, const QString &after)
{
    const QStringList from = before.split(u'\n');
    const QStringList to = after.split(u'\n');
    qsizetype head = 0;
    while (head < from.size() && head < to.size() && from[head] == to[head])
        ++head;
    qsizetype tail = 0;
    while (tail < std::min(from.size(), to.size()) - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail])
        ++tail;
    QList<DiffLine> diff;
    for (qsizetype i = 0; i < head; ++i)
        diff.append({DiffLine::Same, from[i]});
    appendMiddle(from.mid(head, from.size() - head - tail), to.mid(head, to.size() - head - tail), diff);
    for (qsizetype i = from.size() - tail; i < from.size(); ++i)
        diff.append({DiffLine::Same, from[i]});
    return withoutFarLines(diff);
}

} // namespace drover::gui
