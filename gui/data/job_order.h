#pragma once

#include <QMetaType>

namespace drover::gui {

// What the jobs of the history are sorted by; jobs that are equal in it, by their ends.
struct JobOrder {
    enum class By { Ended, Id, Name, Worker };

    By by = By::Ended;
    bool descending = true;

    friend bool operator==(const JobOrder &, const JobOrder &) = default;
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::JobOrder)
