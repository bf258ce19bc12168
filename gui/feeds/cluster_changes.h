#pragma once

#include "gui/data/job_verb.h"
#include "gui/data/lock_node.h"
#include "gui/feeds/request_feed.h"
#include "jobs/client/cancel_job.h"
#include "jobs/cluster/cluster_config.h"

#include <functional>

namespace drover::gui {

// What a user changes about jobs, queues and workers, by the same functions as the commands of that name. It also acts
// on the holders of locks, which may be of any program.
class ClusterChanges final : public RequestFeed
{
    Q_OBJECT

public Q_SLOTS:
    // Finds the unfinished jobs that fit a search and suit the verb, however many the window shows.
    void match(int request, const drover::gui::JobVerb &verb, const drover::gui::JobSearch &search);
    void act(int request, const drover::gui::JobVerb &verb, const QList<drover::jobs::JobId> &jobs);
    // These, cordon() and uncordon() act on one after the other. changed() answers unless all have failed.
    void pause(int request, const QByteArrayList &queues, const QString &why);
    void resume(int request, const QByteArrayList &queues);
    // Sets how many jobs of the queue may run at a time; 0: no limit. `seen` is the limit that the user has seen.
    // Nothing is changed if the queue has neither of the two by now.
    void limit(int request, const QByteArray &queue, int seen, int limit);
    // Sets how many of the jobs that ask for a named limit may run at a time. `seen` is as above.
    void setPermits(int request, const QByteArray &limit, int seen, int permits);
    // `drain`: the audit names it so. A cordon that stands keeps its reason if no other is given, or if the worker is
    // one of several.
    void cordon(int request, const QByteArrayList &workers, const QString &why, bool drain);
    void uncordon(int request, const QByteArrayList &workers);
    // Deletes the node of the master that has this fencing token, and so deposes it. Nothing is changed if another
    // worker is master by now.
    void stepDown(int request, drover::zk::Zxid master);
    // Asks the contender to let go (recipes/locks/revocation.h). It may not obey, nor even look.
    void ask(int request, const drover::gui::LockNode &holder);
    // Deletes the contender's node. Its program may not notice, and go on beside the next holder.
    void breakLock(int request, const drover::gui::LockNode &holder);

Q_SIGNALS:
    void matched(int request, const QList<drover::jobs::JobId> &jobs);
    void progressed(int request, qsizetype done, qsizetype all);
    void acted(int request, const QList<drover::gui::ActedOn> &outcomes);
    void changed(int request, const QString &remark = {}); // answers the others; `remark` is a sentence, or empty

private:
    struct Bulk;
    using Step = std::function<async::Task<void>(QByteArray name)>;

    async::Task<void> matchTask(int request, JobVerb verb, JobSearch search);
    async::Task<void> actTask(int request, JobVerb verb, QList<jobs::JobId> jobs);
    async::Task<void> lane(Bulk *bulk);
    async::Task<QString> actOn(JobVerb verb, jobs::JobId job, jobs::ClusterConfig config);
    async::Task<QList<jobs::JobId>> withTasks(JobVerb verb, QList<jobs::JobId> jobs);
    async::Task<void> eachTask(int request, QByteArrayList names, Step step);
    async::Task<void> limitTask(int request, QByteArray queue, int seen, int limit);
    async::Task<void> permitsTask(int request, QByteArray limit, int seen, int permits);
    async::Task<void> cordonOne(QByteArray worker, QString why, bool drain, bool isOfSeveral);
    async::Task<void> stepDownTask(int request, zk::Zxid master);
    async::Task<void> askTask(int request, LockNode holder);
    async::Task<void> breakTask(int request, LockNode holder);
};

// The outcome of a cancel in words for the user.
QString cancelText(const jobs::JobId &id, jobs::CancelResult result);

} // namespace drover::gui
