#pragma once

#include <QHash>
#include <QStringList>

namespace drover::workers {

// How many jobs wait at a worker for each lock and limit. More than two behind one of them are no use there: one gets
// it next, and another is at hand when that has it. The others stay in their queue, unclaimed, and keep no place from
// jobs that wait for something else.
class Crowd
{
public:
    static constexpr int MaxBehindOne = 2;
    static constexpr int MaxWaiting = 64; // behind all together: each is a claim, and a place in a line

    // A job that waits for this, or for one of these: which is not known yet.
    void add(const QStringList &holdables)
    {
        for (const QString &holdable : holdables)
            ++m_behind[holdable];
        m_waiting += !holdables.isEmpty();
    }

    bool isAt(const QString &holdable) const
    {
        return m_waiting >= MaxWaiting || m_behind.value(holdable) >= MaxBehindOne;
    }

    // The first of these at which there is a crowd; null if there is none.
    QString inTheWayOf(const QStringList &holdables) const
    {
        for (const QString &holdable : holdables) {
            if (isAt(holdable))
                return holdable;
        }
        return {};
    }

private:
    QHash<QString, int> m_behind;
    int m_waiting = 0;
};

} // namespace drover::workers
