#pragma once

#include "gui/data/event_row.h"
#include "gui/data/snapshots.h"
#include "jobs/events/event.h"
#include "zk/ensemble/server_report.h"

namespace drover::gui {

// The rows of the stream of events. `now`, in milliseconds since the Unix epoch, is for events whose time is unknown.

EventRow rowOf(const jobs::Event &event, qint64 now);
// Of a contender that has come, gone on or gone: "lock-taken", "lock-waits", "lock-released", "lock-left".
EventRow lockRow(const char *event, const LockRow &contender, qint64 at);
EventRow serverRow(const zk::ServerReport &server, zk::ServerReport::Role before, qint64 now);
EventRow gapRow(qint64 now); // events between two sessions are unknown

} // namespace drover::gui
