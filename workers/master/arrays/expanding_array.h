#pragma once

#include "jobs/model/array_progress.h"
#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"
#include "workers/master/arrays/task_canceller.h"
#include "workers/master/arrays/task_outcomes.h"

#include <functional>

namespace drover::workers {

// The unfinished tasks of one array, by index, as a listing of its queue shows them.
using ListedTasks = QHash<qint32, jobs::QueueEntry>;

// The objects that the arrays of one queue share. They must outlive the arrays.
struct ArrayContext {
    jobs::Cluster cluster;
    const recipes::Fence &fence;
    TaskOutcomes &outcomes;
    QByteArray queue;
    // advance() should be called again although the queue has not changed. Called from the loop.
    std::function<void()> wake;
};

// One array in the hands of the master: what the master knows of the array's node, and the transactions that bring the
// array forward. ArrayExpander describes the protocol. A PlainArray opens its tasks as room allows; a GangArray lets
// its tasks begin and end together.
//
// The array's node is the truth. Each transaction names the version of the node that was read, and is refused if the
// node has changed since.
class ExpandingArray
{
public:
    virtual ~ExpandingArray() = default;
    ExpandingArray(const ExpandingArray &) = delete;
    ExpandingArray &operator=(const ExpandingArray &) = delete;

    enum class Step {
        Done, // nothing more to do until something changes
        Again, // the node has changed: look() and try again
        Gone, // it has ended, or another client has deleted or moved it
        OtherKind, // its node needs an object of the other class
    };

    // Reads the node unless its known version is the present one. Throws SessionLost, AccessDenied; NewerFormat, if
    // only a newer master can go on with it.
    async::Task<Step> look();
    // As look(), with the node that was just read. The first call to a new object. A malformed array is ended: Blocked.
    async::Task<Step> take(zk::Node node);

    // Counts the open tasks that are not in `listed`, which was listed after look(). Opens more, up to `mayBeOpen`.
    // Ends the array when all are counted. Throws Blocked, Deposed, SessionLost, AccessDenied.
    async::Task<Step> advance(ListedTasks listed, int mayBeOpen);

    int open() const { return static_cast<int>(m_progress.open.size()); } // tasks
    bool isOpen(qint32 index) const;
    qint32 expanded() const { return m_progress.next; } // tasks, ended ones included
    // Whether it waits for something other than its tasks.
    virtual bool waits() const = 0;
    // Whether it would open more tasks if there were room.
    virtual bool hasMore() const = 0;
    // Whether its unclaimed tasks take room from the other arrays of its queue.
    virtual bool sharesRoom() const = 0;

protected:
    ExpandingArray(const ArrayContext &context, jobs::QueueEntry entry);

    struct Ended {
        jobs::ArrayProgress progress; // with these counted
        std::vector<std::pair<qint32, TaskOutcome>> outcomes; // by their places
        bool complete = true; // false: some outcomes are unknown; those tasks stay open
    };
    struct NewNode {
        zk::Path path;
        QByteArray data;
    };

    virtual bool isOfThisKind(const jobs::JobSpec &spec) const = 0;
    // Reads what only this kind of array stores in its node. Throws Malformed.
    virtual void readMore(const jobs::JobSpec &, const QByteArray &) { }
    virtual async::Task<Step> bringForward(ListedTasks listed, Ended ended, int mayBeOpen) = 0;

    qint32 count() const { return m_spec.array->count(); }
    int chunk() const; // tasks of one transaction
    std::vector<NewNode> tasksAt(const std::vector<qint32> &places) const;
    // guard ; set(array, data, version)
    zk::Transaction storing(const QByteArray &data) const;
    // Notes that such a transaction has been carried out; `data` contains `progress`.
    void noteStored(const jobs::ArrayProgress &progress, const QByteArray &data);
    // Stores `data`, which contains `progress`, and creates `nodes`. A node that exists already, by hand or after a
    // lost reply, stays unchanged. Returns false if the array's node has changed.
    async::Task<bool> commit(jobs::ArrayProgress progress, QByteArray data, std::vector<NewNode> nodes);
    // Cancels the open tasks, once each. False if some of them have moved meanwhile. Throws Blocked: see TaskCanceller.
    async::Task<bool> cancelTasks(ListedTasks listed, QString reason);
    // Ends the array with this record, and removes `round`, a node of its own.
    async::Task<Step> end(jobs::FinalRecord record, std::optional<zk::Path> round);
    async::Task<Step> end(jobs::FinalRecord record);

    jobs::Cluster m_cluster;
    const recipes::Fence &m_fence;
    std::function<void()> m_wake;
    jobs::JobId m_id;
    jobs::JobSpec m_spec;
    jobs::ArrayProgress m_progress;
    QByteArray m_stored; // the node's data

private:
    bool read(const zk::Node &node);
    jobs::JobId taskAt(qint32 place) const { return {m_id.queue, m_id.number, m_spec.array->at(place)}; }
    async::Task<Ended> countEnded(ListedTasks listed);
    async::Task<void> requireUnblocked();

    TaskOutcomes &m_outcomes;
    jobs::QueueEntry m_entry;
    zk::Path m_path;
    zk::Zxid m_czxid = 0; // of the node that was read
    qint32 m_version = 0;
    jobs::JobRecord m_record; // as the node was first read; its tasks have its text
    TaskCanceller m_canceller;
    async::Timer m_recount; // of the tasks whose ends the history could not tell
};

} // namespace drover::workers
