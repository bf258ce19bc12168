#pragma once

#include <QtGlobal>

namespace drover::gui {

// A number at a moment.
struct ChartPoint {
    static constexpr qint64 Unknown = -1;

    qint64 at = 0; // ms of the Unix epoch
    qint64 value = Unknown; // negative: it is not known from here on, so a line ends

    friend bool operator==(const ChartPoint &, const ChartPoint &) = default;
};

} // namespace drover::gui
