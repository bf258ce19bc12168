#pragma once

#include <QHash>
#include <QStringList>

namespace drover::workers {

// Counts the jobs that wait at this worker for each lock and limit, and caps them. Two jobs behind one lock are enough:
// the first gets the lock next, and the second is ready to follow. Further jobs stay unclaimed in their queue, so that
// they take no place from jobs that wait for something else.
class LockContention
{
public:
    static constexpr int MaxPerLock = 2;
    static constexpr int MaxWaiting = 64; // for all locks together

    // Counts a job that waits for one of these locks, even if it is not known for which.
    void add(const QStringList &locks)
    {
        for (const QString &lock : locks)
            ++m_behind[lock];
        m_waiting += !locks.isEmpty();
    }

    bool isSaturated(const QString &lock) const
    {
        return m_waiting >= MaxWaiting || m_behind.value(lock) >= MaxPerLock;
    }

    // The first of these locks behind which enough jobs wait; null if there is none.
    QString firstSaturated(const QStringList &locks) const
    {
        for (const QString &lock : locks) {
            if (isSaturated(lock))
                return lock;
        }
        return {};
    }

private:
    QHash<QString, int> m_behind;
    int m_waiting = 0;
};

} // namespace drover::workers
