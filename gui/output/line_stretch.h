#pragma once

#include "gui/output/output_file.h"

#include <QList>

namespace drover::gui {

// Some lines of an OutputFile that follow each other. An editor lays them out without a pause: there are at most 400,
// of which some 32 KiB are seen. Long lines are more than that, since 64 on each side are there in any case.
struct LineStretch {
    qint64 first = 0;
    QList<TerminalText::Line> lines{}; // without marks for line ends

    qint64 end() const { return first + lines.size(); } // beyond the last one
};

// A quarter of them is before that line, if there are so many.
LineStretch stretchAround(const OutputFile &file, qint64 line);

} // namespace drover::gui
