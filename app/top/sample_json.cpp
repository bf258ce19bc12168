#include "app/top/sample_json.h"

#include "app/cli/units.h"

#include <QJsonArray>

namespace drover::app {

namespace {

QJsonArray queuesOf(const ClusterSample &sample)
{
    QJsonArray rows;
    for (const ClusterSample::Queue &queue : sample.queues)
        rows.append(QJsonObject{{QStringLiteral("queue"), QString::fromLatin1(queue.name)},
                                {QStringLiteral("unfinished"), queue.unfinished},
                                {QStringLiteral("submitted"), queue.submitted},
                                {QStringLiteral("finished"), queue.finished()},
                                {QStringLiteral("idle_workers"), queue.idleWorkers}});
    return rows;
}

QJsonArray workersOf(const ClusterSample &sample)
{
    QJsonArray rows;
    for (const ClusterSample::Worker &worker : sample.workers) {
        QJsonObject row{{QStringLiteral("worker"), worker.info.id}, {QStringLiteral("slots_used"), worker.slotsUsed}};
        if (worker.malformed.isEmpty()) {
            row.insert(QStringLiteral("host"), worker.info.host);
            row.insert(QStringLiteral("slots"), worker.info.slotCount);
        } else { // as worker ls has it
            row.insert(QStringLiteral("host"), QStringLiteral("(malformed)"));
            row.insert(QStringLiteral("malformed"), worker.malformed);
        }
        rows.append(row);
    }
    return rows;
}

QJsonArray jobsOf(const ClusterSample &sample)
{
    QJsonArray rows;
    for (const ClusterSample::Job &job : sample.jobs)
        rows.append(QJsonObject{{QStringLiteral("id"), job.id.toString()},
                                {QStringLiteral("name"), job.name},
                                {QStringLiteral("worker"), job.claim.worker},
                                {QStringLiteral("attempt"), job.claim.attempts.claimVersion},
                                {QStringLiteral("since"), formatTime(job.since())}});
    return rows;
}

} // namespace

QJsonObject sampleJson(const QByteArray &cluster, const ClusterSample &sample)
{
    QJsonObject object{{QStringLiteral("cluster"), QString::fromUtf8(cluster)},
                       {QStringLiteral("at"), formatTime(sample.wallClock)},
                       {QStringLiteral("running"), sample.running},
                       {QStringLiteral("done"), sample.done},
                       {QStringLiteral("queues"), queuesOf(sample)},
                       {QStringLiteral("workers"), workersOf(sample)},
                       {QStringLiteral("jobs"), jobsOf(sample)}};
    if (!sample.master.isEmpty())
        object.insert(QStringLiteral("master"), sample.master);
    return object;
}

} // namespace drover::app
