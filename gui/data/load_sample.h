#pragma once

#include <QMetaType>

namespace drover::gui {

// How busy the queues of a cluster were in a stretch of time. What lies between two samples is not known.
struct LoadSample {
    qint64 at = 0; // when it begins; ms of the Unix epoch
    qint64 width = 0; // ms
    qint64 ready = 0; // jobs at its end, or their mean
    qint64 running = 0; // as `ready`
    qint64 submitted = 0; // jobs that came meanwhile
    qint64 ended = 0; // jobs that left meanwhile

    qint64 end() const { return at + width; }

    friend bool operator==(const LoadSample &, const LoadSample &) = default;
};

} // namespace drover::gui
