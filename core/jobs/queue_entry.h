#pragma once

#include "jobs/job_id.h"

#include <QByteArrayList>

#include <compare>
#include <vector>

namespace drover::jobs {

// The name of an unfinished job's node in its queue: "<class><priority>-<sequence>", e.g. "q5-0000000042", and for the
// task of an array with its index, "q5-0000000042.7". In their order those of one listing are dispatched.
struct QueueEntry {
    enum class Class : char {
        Ready = 'q',
        Waiting = 'w', // for a time or for other jobs: the master makes it ready
        Held = 'h', // nobody's until it is released
        Array = 'a', // the master makes its tasks, which are jobs of their own
    };

    static constexpr int DefaultPriority = 5;

    Class jobClass = Class::Ready;
    int priority = DefaultPriority; // 0 (first) to 9
    qint32 number = 0;
    qint32 task = JobId::NoTask;

    JobId idIn(const QByteArray &queue) const { return {queue, number, task}; }

    // Every name that the node of this job can have.
    static std::vector<QueueEntry> candidates(const JobId &id);
    // Those of a job to which nobody has given a priority.
    static std::vector<QueueEntry> likely(const JobId &id);

    // Nothing if somebody else's node: such are skipped.
    static std::optional<QueueEntry> parse(const QByteArray &name);

    QByteArray name() const;
    // What a sequential create of such a node is given.
    static QByteArray prefix(Class jobClass, int priority);

    friend auto operator<=>(const QueueEntry &a, const QueueEntry &b) = default;
};

// The ready jobs of a listing in the order of dispatch.
std::vector<QueueEntry> readyInOrder(const QByteArrayList &names);

} // namespace drover::jobs
