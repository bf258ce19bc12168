#pragma once

#include "jobs/model/cluster.h"

#include <functional>

namespace drover::jobs {

// The settings of a queue: the JSON of its node. A worker that claims jobs of the queue checks the version of that node
// in the transaction. So no job is claimed once the queue is paused.
struct QueueSettings {
    static constexpr int MaxLimit = 1'000'000;

    bool paused = false; // no job starts; running jobs go on, submits are accepted
    QString pausedBy; // user@host
    QString why;
    std::chrono::milliseconds pausedAt{}; // Unix epoch
    int limit = 0; // running jobs in the whole cluster; 0: no limit

    friend bool operator==(const QueueSettings &, const QueueSettings &) = default;

    QByteArray encode() const;
    static QueueSettings decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &settings);
    // Like decode(), but empty or malformed data give the default settings.
    static QueueSettings of(const QByteArray &bytes);
};

// Both throw NotFound and SessionLost.
async::Task<QueueSettings> queueSettings(Cluster cluster, QByteArray queue);

// Changes the settings and returns the result. Concurrent changes are applied one after the other, so `change` may be
// called repeatedly. Notes in the audit who did it, if anything has changed.
async::Task<QueueSettings> changeQueue(Cluster cluster, QByteArray queue, std::function<void(QueueSettings &)> change);

// Lets no more jobs of the queue begin, and notes who did it. Without a reason a queue that is paused stays as it is.
async::Task<void> pauseQueue(Cluster cluster, QByteArray queue, QString why);
// Lets the jobs of a paused queue begin again. Its limit stays.
async::Task<void> resumeQueue(Cluster cluster, QByteArray queue);

// Sets how many of the queue's jobs may run at a time; 0: no limit. Safe to repeat.
async::Task<void> limitQueue(Cluster cluster, QByteArray queue, int limit);

} // namespace drover::jobs
