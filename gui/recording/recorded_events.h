#pragma once

#include "gui/recording/recorded.h"

namespace drover::gui {

// The changes as events, the oldest first. `before` is the state in which the first of them took place. What only
// enters or leaves the table of jobs, or was only read, is none.
QList<EventRow> eventsOf(RecordedState before, const QList<RecordedChange> &changes);

} // namespace drover::gui
