#pragma once

#include <QList>
#include <QString>

namespace drover::gui {

struct DiffLine {
    enum Kind { Same, Removed, Added, Skipped };
    Kind kind = Same;
    QString text; // of Skipped: empty
    qsizetype count = 1; // of Skipped: the lines that are the same

    friend bool operator==(const DiffLine &, const DiffLine &) = default;
};

// What turns one text into another, line by line, in the fewest lines. In big texts all lines between the first and the
// last change count as changed. Lines far from a change are skipped.
QList<DiffLine> diffLines(const QString &before, const QString &after);

} // namespace drover::gui
