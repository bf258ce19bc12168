#pragma once

#include "jobs/model/array_progress.h"
#include "jobs/model/final_record.h"

#include <QSet>

#include <map>

namespace drover::test {

// What must never happen to an array; each call returns what has, or nothing:
//
//     -  a task is made twice, or when its array has been cancelled, or when it was itself cancelled before its turn
//     -  a task ends that was never made
//     -  an array that has begun was cancelled, and that is forgotten
//     -  an array's final record does not say how its tasks have ended
//
// Members of gangs are tasks, too.
class ArrayInvariants
{
public:
    QString onTaskMade(const jobs::JobId &id, const jobs::JobSpec &spec);
    // In the node of an array; `begun` where those are that the master expands.
    QString onStored(const jobs::JobId &id, const QByteArray &data, bool begun);
    // By hand: it counts as cancelled.
    void onTaskDeleted(const jobs::JobId &id);
    QString onTaskDone(const jobs::FinalRecord &record);
    QString onDone(const jobs::FinalRecord &record);

    qint64 done() const { return m_done; }
    qint64 cancelled() const { return m_cancelledOnTheirWay; } // arrays of which some tasks had run
    qint64 skipped() const { return m_withSkipped; } // arrays with tasks that were cancelled before their turn

private:
    std::map<jobs::JobId, qint32> m_arrays; // and how many tasks they have
    std::map<jobs::JobId, jobs::ArrayProgress> m_counts; // our own, of the tasks' final records
    std::map<jobs::JobId, QSet<qint32>> m_skipped; // tasks that are not to be made any more
    QSet<jobs::JobId> m_tasks; // that were made
    QSet<jobs::JobId> m_cancelled; // after they had begun
    qint64 m_done = 0;
    qint64 m_cancelledOnTheirWay = 0;
    qint64 m_withSkipped = 0;
};

} // namespace drover::test
