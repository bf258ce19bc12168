#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <limits>
#include <optional>

namespace drover::jobs {

// "<queue>-<number>", e.g. default-42: short, easy to type, unique in a cluster. ZooKeeper gives the number to the
// job's node. It is never negative: a queue accepts at most 2^31 jobs in its life. A task of an array has the array's
// id and its own index: default-42.7.
struct JobId {
    static constexpr qint32 NoTask = -1;
    static constexpr qint32 MaxTask = std::numeric_limits<qint32>::max();

    QByteArray queue;
    qint32 number = 0;
    qint32 task = NoTask;

    static std::optional<JobId> parse(const QString &text);
    bool isTask() const { return task != NoTask; }
    JobId array() const { return {queue, number}; }
    // The id within its queue, as a number.
    qint64 inQueue() const { return (qint64(number) << 32) + task; }
    QByteArray bytes() const
    {
        const QByteArray job = queue + '-' + QByteArray::number(number);
        return isTask() ? job + '.' + QByteArray::number(task) : job;
    }
    QString toString() const { return QString::fromLatin1(bytes()); }

    friend auto operator<=>(const JobId &a, const JobId &b)
    {
        const int queues = qstrcmp(a.queue, b.queue);
        return queues != 0 ? queues <=> 0 : a.inQueue() <=> b.inQueue();
    }
    friend bool operator==(const JobId &, const JobId &) = default;
    friend size_t qHash(const JobId &id, size_t seed = 0) { return qHashMulti(seed, id.queue, id.inQueue()); }
};

QString idText(const std::optional<JobId> &id); // empty: no id

// Jobs of one queue, default-3..17, or tasks of one array, default-42.1..100.
struct JobRange {
    JobId first;
    qint32 last = 0; // number, or index of a task

    // Whether the range contains the job. A range of numbers also contains the tasks of its arrays.
    bool covers(const JobId &id) const;
    QString toString() const; // a range of one job is its id

    friend bool operator==(const JobRange &, const JobRange &) = default;
};

// The number of an id: digits without leading zeros, up to 2^31 - 1.
std::optional<qint32> parseNumber(QStringView digits);

} // namespace drover::jobs
