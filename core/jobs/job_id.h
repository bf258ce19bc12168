#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <optional>

namespace drover::jobs {

// "<queue>-<number>", e.g. default-42: short, typable, unique in a cluster. The number is the one that ZooKeeper gave
// the job's node, never negative here: a queue that has seen 2^31 jobs takes no more. A task of an array has the
// array's id and its own index: default-42.7.
struct JobId {
    static constexpr qint32 NoTask = -1;

    QByteArray queue;
    qint32 number = 0;
    qint32 task = NoTask;

    static std::optional<JobId> parse(const QString &text);
    bool isTask() const { return task != NoTask; }
    JobId array() const { return {queue, number}; }
    // The same without the queue.
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

// Jobs of one queue, default-3..17, or tasks of one array, default-42.1..100.
struct JobRange {
    JobId first;
    qint32 last = 0; // number, or index of a task

    // Of numbers the tasks of arrays, too.
    bool covers(const JobId &id) const;
    QString toString() const; // of one job its id

    friend bool operator==(const JobRange &, const JobRange &) = default;
};

// A number as ids have it: digits without leading zeros, up to 2^31 - 1.
std::optional<qint32> parseNumber(QStringView digits);

// Names of clusters, queues and workers: 1 to 32 of a-z 0-9 and -, beginning with a letter or digit. They may end with
// a hyphen and digits themselves, because an id's number is what follows its last hyphen.
bool isValidName(const QString &name);

// Names of locks: 1 to 64 of letters, digits and . _ -, not beginning with a dot.
bool isValidLockName(const QString &name);

} // namespace drover::jobs
