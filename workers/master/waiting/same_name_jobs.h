#pragma once

#include "async/event.h"
#include "async/post_guard.h"
#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/master/base/troubles.h"
#include "zk/client.h"

#include <QSet>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace drover::workers {

// Knows which unfinished jobs of a queue have the same name. A singleton (JobSpec::singleton) waits for all earlier
// jobs of its name.
//
//     asked about a job whose number is higher than any number read so far:
//         list the queue ; read the names of the unknown jobs below that number, many in a flight
//         a job that is no longer where it was listed has moved or ended: list again
//         a number is reserved for a job that comes from another queue: list again, until the job has come, or its
//         client has given up or lost its session
//         a job that may not be read, or is of a newer format, may have any name: list again after a RetryPause
//         all before the first of these numbers are known: singletons up to there can go on
//     the job that held a singleton back has ended, and there was another before it:
//         list the queue: jobs that it does not show have ended, too
//
// Numbers are given out in the order of the submits and of the moves. So a job that the listing does not show below a
// number that it shows has ended and never comes back. A reserved number is the exception. The set only shrinks, and
// each job is read once. A listing is made when a singleton comes, not when other jobs do. The ends of jobs are not
// followed here. One earlier job is enough to hold a singleton back, so DependencyWatcher watches that one. WaitingJobs
// asks for the next when it has ended. The next may have ended long ago, and so may thousands before it: one listing
// shows that, without a look at each. Tasks are left out, because their array is there as long as they are.
//
// What keeps singletons back for longer is a trouble of the queue, and is retried after a RetryPause. That is a job
// that may not be read, a reservation that stays, or a listing that fails.
class SameNameJobs
{
public:
    struct Earlier {
        bool known = false; // false: not read yet; ask again after `onRead`
        std::optional<jobs::JobId> latest; // the last earlier unfinished job
    };

    // `troubles` outlives it. `onRead` is called from the loop, never from within a call, when more of that queue is
    // known.
    SameNameJobs(jobs::Cluster cluster, DutyTroubles &troubles, std::function<void(const QByteArray &queue)> onRead);

    // The unfinished jobs called `name` that were submitted before `id`.
    Earlier before(const jobs::JobId &id, const QString &name);
    // This job has ended; before() answers without it from now on.
    void forget(const jobs::JobId &id);
    // There are no more questions about this queue.
    void drop(const QByteArray &queue);

private:
    struct Queue {
        qint32 wanted = -1; // the highest number that was asked about
        qint32 read = -1; // all jobs up to this number are known
        std::map<qint32, QString> names; // by number
        std::map<QString, std::set<qint32>> numbers; // by name
        std::set<qint32> doubted; // may have ended: to be listed again before they count
        async::Event doubt; // one of these was asked for
        bool showsEnds = false; // a listing has, and `onRead` is still to be called
        qint32 obstacle = -1; // the number at which the last reading ended early
        async::TimePoint obstacleSince{};
        std::unique_ptr<async::TaskGroup> reading; // last: its task uses the rest
    };

    using Places = std::vector<std::pair<qint32, zk::Path>>; // nodes with their numbers, in this order
    struct Reading {
        qint32 known = -1; // all jobs up to this number
        QString obstacle{}; // why the next is not; empty: it has moved or ended meanwhile
        bool passesSoon = false; // as a rule

        void endBefore(qint32 number, const QString &why = {}, bool passes = false);
    };

    void beginReading(Queue &queue, const QByteArray &name);
    async::Task<void> readWanted(QByteArray name);
    async::Task<Reading> readUpTo(QByteArray name, qint32 last);
    async::Task<void> readNames(QByteArray name, Places unknown, Reading &reading);
    async::Task<void> findReservation(Places reserved, Reading &reading);
    void noteName(const QByteArray &name, qint32 number, const QByteArray &stored, Reading &reading);
    async::Duration accept(const QByteArray &name, qint32 last, const Reading &reading);
    async::Duration fail(const QByteArray &name, const QString &why);
    void setRead(const QByteArray &name, const Reading &reading);
    static bool retain(Queue &queue, const QSet<qint32> &present);
    static void remove(Queue &queue, qint32 number);

    jobs::Cluster m_cluster;
    DutyTroubles &m_troubles;
    std::function<void(const QByteArray &queue)> m_onRead;
    async::PostGuard m_guard;
    std::map<QByteArray, Queue> m_queues; // last: its tasks use the rest
};

} // namespace drover::workers
