#pragma once

#include "jobs/model/job_id.h"

#include <QByteArrayList>

#include <compare>
#include <vector>

namespace drover::jobs {

// The name of an unfinished job's node in its queue: "<class><priority>-<sequence>", e.g. "q5-0000000042", and with the
// index for a task of an array: "q5-0000000042.7". The entries of one listing are dispatched in their order.
struct QueueEntry {
    enum class Class : char {
        Ready = 'q',
        Waiting = 'w', // for a time or other jobs; the master makes it ready
        Held = 'h', // no worker may claim it until it is released
        Array = 'a', // the master creates its tasks as jobs
    };

    static constexpr int DefaultPriority = 5;

    Class jobClass = Class::Ready;
    int priority = DefaultPriority; // 0 (first) to 9
    qint32 number = 0;
    qint32 task = JobId::NoTask;

    JobId idIn(const QByteArray &queue) const { return {queue, number, task}; }

    // Every name that the node of this job can have.
    static std::vector<QueueEntry> candidates(const JobId &id);
    // The names for the default priority.
    static std::vector<QueueEntry> likely(const JobId &id);

    // Returns nothing for a node of another program, which callers skip.
    static std::optional<QueueEntry> parse(const QByteArray &name);

    QByteArray name() const;
    // The name for a sequential create of such a node.
    static QByteArray prefix(Class jobClass, int priority);

    friend auto operator<=>(const QueueEntry &a, const QueueEntry &b) = default;
};

// The ready jobs of a listing in the order of dispatch.
std::vector<QueueEntry> readyInOrder(const QByteArrayList &names);

} // namespace drover::jobs
