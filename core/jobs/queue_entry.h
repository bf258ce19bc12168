#pragma once

#include "jobs/job_id.h"

#include <QByteArrayList>

#include <compare>
#include <vector>

namespace drover::jobs {

// The name of an unfinished job's node in its queue: "<class><priority>-<sequence>", e.g. "q5-0000000042". Sorted, the
// names of one listing are the order of dispatch.
struct QueueEntry {
    enum class Class : char {
        Ready = 'q',
        Waiting = 'w', // held, delayed, or waiting for other jobs
    };

    Class jobClass = Class::Ready;
    int priority = 5; // 0 (first) to 9
    qint32 number = 0;

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
