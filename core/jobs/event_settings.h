#pragma once

#include "jobs/event.h"
#include "zk/types.h"

#include <vector>

namespace drover::jobs {

// What has been changed about something that one node describes: a queue, a named limit, a recurring job. `before` and
// `now` are that node, null where there was or is none; not both. What cannot be read says nothing.

// None of one that has gone.
std::vector<Event> queueEvents(const QByteArray &queue, const zk::Node *before, const zk::Node *now);
// Of its permits/. A limit that comes with as many as one that nobody has set is no news.
std::vector<Event> limitEvents(const QByteArray &limit, const zk::Node *before, const zk::Node *now);
// Also what the master has made of its ticks, but for those that come and go between two looks.
std::vector<Event> scheduleEvents(const QByteArray &schedule, const zk::Node *before, const zk::Node *now);

} // namespace drover::jobs
