#pragma once

#include "core/jobs/job_cluster.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/explain/why.h"
#include "jobs/model/array_progress.h"
#include "jobs/model/worker_info.h"

namespace drover::test {

// Members, claims and masters are nodes that the test writes.
class WhyCluster : public JobCluster
{
public:
    using JobCluster::JobCluster;

    void join(const char *worker, int slotCount = 2, const QStringList &labels = {}, qint64 memory = 0)
    {
        jobs::WorkerInfo info;
        info.id = QString::fromLatin1(worker);
        info.host = QStringLiteral("host-of-") + info.id;
        info.memory = memory;
        info.slotCount = slotCount;
        info.labels = labels;
        info.queues = QStringList(QStringLiteral("default"));
        write(layout.members() / worker, info.encode());
    }

    jobs::JobId submitSpec(const jobs::JobSpec &spec)
    {
        jobs::Submitter submitter(jobs::Cluster((*this)[0], layout), {});
        return run(submitter.submit(spec));
    }

    void elect() { write(layout.master() / "_c_x-latch-0000000000", "w1"); }

    // As the master expands it: the first `count` of its tasks.
    jobs::JobId submitArray(jobs::JobSpec spec, const jobs::ArrayIndices &range, int count)
    {
        spec.array = range;
        const jobs::JobId id = submitSpec(spec);
        const zk::Path path = layout.job("default", {jobs::QueueEntry::Class::Array, spec.priority, id.number});
        const QByteArray stored = node(path).data;
        jobs::ArrayProgress progress;
        progress.begunAt = world.wallClock();
        progress.expand(count, range.count());
        write(path, progress.mergedInto(stored));
        for (int task = 0; task < count; ++task)
            write(layout.job("default", entryOf({"default", id.number, task})), jobs::taskOf(stored, task));
        return id;
    }

    static jobs::QueueEntry entryOf(const jobs::JobId &id)
    {
        return {jobs::QueueEntry::Class::Ready, jobs::QueueEntry::DefaultPriority, id.number, id.task};
    }

    // As a worker writes it.
    void claimAs(const char *worker, const jobs::JobId &id, const QString &waits = {}, int slotCount = 1)
    {
        jobs::Claim claim;
        claim.worker = QString::fromLatin1(worker);
        claim.entry = entryOf(id).name();
        claim.waits = waits;
        claim.slotCount = slotCount;
        write(layout.claim(id), claim.encode());
    }

    // Adds a waiter to a line.
    void stand(const zk::Path &line, const char *name, const QByteArray &about)
    {
        run((*this)[0].ensurePath(line));
        write(line / name, about);
    }

    void pause()
    {
        const auto change = [](jobs::QueueSettings &settings) {
            settings.paused = true;
            settings.pausedBy = QStringLiteral("me@here");
        };
        run(changeQueue(jobs::Cluster((*this)[0], layout), "default", change));
    }

    // All that it prints, without advice.
    QStringList reasons(const jobs::JobId &id)
    {
        QStringList texts;
        for (const jobs::Reason &reason : run(jobs::explain(jobs::Cluster((*this)[0], layout), id)).reasons)
            texts.append(reason.what);
        return texts;
    }

    // What `drover why` prints first, with its advice.
    QString why(const jobs::JobId &id)
    {
        const jobs::Explanation explanation = run(jobs::explain(jobs::Cluster((*this)[0], layout), id));
        if (explanation.reasons.empty())
            return {};
        const jobs::Reason &first = explanation.reasons.front();
        return first.advice.isEmpty() ? first.what : first.what + QStringLiteral("; ") + first.advice;
    }
};

} // namespace drover::test
