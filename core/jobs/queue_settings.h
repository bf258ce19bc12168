#pragma once

#include "jobs/cluster.h"

#include <functional>

namespace drover::jobs {

// What people have decided about a queue: the JSON of its node. Whoever claims its jobs checks the version of that node
// in the same transaction, so that nothing is claimed once a queue is paused.
struct QueueSettings {
    static constexpr int MaxLimit = 1'000'000;

    bool paused = false; // none of its jobs is begun; those that run go on, and more may be submitted
    QString pausedBy; // user@host
    QString why;
    std::chrono::milliseconds pausedAt{}; // Unix epoch
    int limit = 0; // of its jobs that run at a time, in the whole cluster; 0: none

    friend bool operator==(const QueueSettings &, const QueueSettings &) = default;

    QByteArray encode() const;
    static QueueSettings decode(const QByteArray &bytes); // throws Malformed
    // The same, and one like any other for a node that is empty or holds something malformed.
    static QueueSettings of(const QByteArray &bytes);
};

// Throw NotFound, SessionLost.
async::Task<QueueSettings> queueSettings(zk::Coordinator &zk, Layout layout, QByteArray queue);

// Returns what they are afterwards. Concurrent changes are made one after the other; `change` may be called repeatedly.
async::Task<QueueSettings> changeQueue(zk::Coordinator &zk, Layout layout, QByteArray queue,
                                       std::function<void(QueueSettings &)> change);

// How many of the queue's jobs run at a time, 0 for no limit. Safe to repeat.
async::Task<void> limitQueue(zk::Coordinator &zk, Layout layout, QByteArray queue, int limit);

} // namespace drover::jobs
