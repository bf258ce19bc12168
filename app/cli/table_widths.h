#pragma once

#include <QList>

namespace drover::app {

// One column of a table: the width that its cells need, and what may be done to make room.
struct ColumnWidth {
    int width = 0;
    int least = 0; // it is cut to no less; as `width`: it is not cut
    int leaveOut = 0; // those with lower numbers are left out first; 0: it stays
};

// Makes a table fit into `room` terminal columns, with `gap` between two columns. Columns are cut, the last first. If
// that is not enough, one is left out, and the others begin again with all that they need. The width of a column that
// is left out is 0. The result may still be too wide.
QList<int> fittedWidths(QList<ColumnWidth> columns, int room, int gap);

} // namespace drover::app
