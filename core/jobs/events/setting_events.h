#pragma once

#include "jobs/events/event.h"
#include "zk/types.h"

#include <vector>

namespace drover::jobs {

// The events of a change of one node: of a queue, a named limit or a recurring job. `before` and `now` are the node
// before and after it. At most one of them is null: then the node was created or deleted. Malformed data cause no
// event.

// A deleted queue causes no event.
std::vector<Event> queueEvents(const QByteArray &queue, const zk::Node *before, const zk::Node *now);
// `before` and `now` are the node of its permits. A new limit with the default number causes no event.
std::vector<Event> limitEvents(const QByteArray &limit, const zk::Node *before, const zk::Node *now);
// Also reports the master's runs and skips of ticks, except for ticks that are overtaken between two reads.
std::vector<Event> scheduleEvents(const QByteArray &schedule, const zk::Node *before, const zk::Node *now);

} // namespace drover::jobs
