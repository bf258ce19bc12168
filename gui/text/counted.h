#pragma once

#include <QString>

namespace drover::gui {

enum class Things {
    Bytes,
    Children,
    Deadlocks,
    Events,
    Findings,
    Jobs,
    Lines,
    Locks,
    Nodes,
    PausedQueues,
    Problems,
    Queues,
    Releases,
    Requests,
    Schedules,
    Servers,
    Slots,
    Waiters,
    WakeUps,
    Warnings,
    Workers,
};

// "1 worker", "2,000 workers", in the language of the user.
QString counted(qint64 count, Things things);

} // namespace drover::gui
