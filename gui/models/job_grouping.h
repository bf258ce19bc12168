#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

// What the jobs of a table are grouped by. A job with several tags is in the group of its first one. A user is who
// submitted them, on whichever machine, as `submitter:NAME` of the filter has it.
enum class Grouping { None, Queue, Name, Tag, User };

// The group that a job is in. Empty: it has none, or its node has not been read yet.
QString groupOf(const JobRow &job, Grouping by);
// Whether that group stands before the other. The empty one comes last.
bool isGroupBefore(const QString &group, const QString &other);
// What the user reads of it.
QString groupTitle(const QString &group, Grouping by);

// "none", "queue", "name", "tag", "user", which last: settings and saved views have them.
QString groupingName(Grouping by);
Grouping groupingNamed(const QString &name); // None: it is the name of none

} // namespace drover::gui
