#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <optional>

namespace drover::jobs {

// "<queue>-<number>", e.g. default-42: short, typable, unique in a cluster. The number is the one that ZooKeeper gave
// the job's node, never negative here: a queue that has seen 2^31 jobs takes no more.
struct JobId {
    QByteArray queue;
    qint32 number = 0;

    static std::optional<JobId> parse(const QString &text);
    QByteArray bytes() const { return queue + '-' + QByteArray::number(number); }
    QString toString() const { return QString::fromLatin1(bytes()); }

    friend auto operator<=>(const JobId &a, const JobId &b)
    {
        const int queues = qstrcmp(a.queue, b.queue);
        return queues != 0 ? queues <=> 0 : a.number <=> b.number;
    }
    friend bool operator==(const JobId &, const JobId &) = default;
    friend size_t qHash(const JobId &id, size_t seed = 0) { return qHashMulti(seed, id.queue, id.number); }
};

// Names of clusters, queues and workers: 1 to 32 of a-z 0-9 and -, beginning with a letter or digit. They may end with
// a hyphen and digits themselves, because an id's number is what follows its last hyphen.
bool isValidName(const QString &name);

// Names of locks: 1 to 64 of letters, digits and . _ -, not beginning with a dot.
bool isValidLockName(const QString &name);

} // namespace drover::jobs
