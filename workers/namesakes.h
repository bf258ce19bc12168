#pragma once

#include "async/task_group.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <QSet>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace drover::workers {

// Which unfinished jobs of a queue have the same name, for those that wait for all such that came before them
// (JobSpec::singleton).
//
//     asked about a job whose number is higher than any read so far:
//         list the queue ; read the names of the jobs below that number that are not known yet, many in a flight
//         one that is no longer where it was listed has moved or ended: list again, up to the same number
//     the one that kept a singleton has ended, and there was another before it:
//         list the queue: those that it does not show have ended, too
//
// Numbers are given out in the order of the submits, so what the listing does not show below a number that it shows
// has ended, and nothing ever comes to be there again: the set only shrinks, and each job is read once. A listing is
// made when a singleton comes, not when others do. Whether a job that is known has ended is not followed here: one of
// those before a singleton is enough to keep it, so JobEnds watches that one, and tells when it is time to ask for the
// next. That one may have ended long ago, and so may thousands before it: one listing tells, not a look at each. Tasks
// are left out: their array is there as long as they are.
//
// What fails, but for the session, is logged and tried again after 5 s.
class Namesakes
{
public:
    struct Earlier {
        bool known = false; // false: not read yet; `onRead` tells when to ask again
        std::optional<jobs::JobId> latest; // of the unfinished jobs before it, the one that was submitted last
    };

    // `onRead` is called from the loop, never from within a call, when more of that queue is known.
    Namesakes(zk::Coordinator &zk, jobs::Layout layout, std::function<void(const QByteArray &queue)> onRead);

    // Of the jobs submitted before `id`, those called `name`.
    Earlier before(const jobs::JobId &id, const QString &name);
    // It has ended, and who was told of it asks again.
    void forget(const jobs::JobId &id);
    // Nobody asks about this queue any more.
    void drop(const QByteArray &queue) { m_queues.erase(queue); }

private:
    struct Queue {
        qint32 wanted = -1; // everything up to this number is asked about
        qint32 read = -1; // and is known
        std::map<qint32, QString> names; // by number
        std::map<QString, std::set<qint32>> numbers; // the other way round
        std::set<qint32> doubted; // of them: to be listed again before anybody waits for one
        std::unique_ptr<async::TaskGroup> reading; // last: its task uses the rest
    };

    void beginReading(Queue &queue, const QByteArray &name);
    async::Task<void> readWanted(QByteArray name);
    async::Task<bool> readUpTo(QByteArray name, qint32 last);
    void setRead(const QByteArray &name, qint32 last);
    static void retain(Queue &queue, const QSet<qint32> &present);
    static void remove(Queue &queue, qint32 number);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::function<void(const QByteArray &queue)> m_onRead;
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what is posted
    std::map<QByteArray, Queue> m_queues; // last: its tasks use the rest
};

} // namespace drover::workers
