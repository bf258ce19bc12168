#include "output/ended_output.h"

#include "output/remote_output.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::output {

namespace {

// "build-7" of "build-7-4711": by default a worker's id is its machine's name and a number.
QStringView machineOf(QStringView worker)
{
    const qsizetype hyphen = worker.lastIndexOf(u'-');
    const bool numbered = hyphen > 0 && jobs::parseNumber(worker.mid(hyphen + 1));
    return numbered ? worker.first(hyphen) : worker;
}

// Whether the job said that nothing of its output is to be kept. The record of a task does not have what the job said.
bool keepsNothing(const jobs::FinalRecord &record)
{
    try {
        if (const std::optional<jobs::JobSpec> job = record.jobToResubmit())
            return job->outputLimit == 0;
    } catch (const jobs::Malformed &) {
    }
    return record.outputTruncated && record.tail.isEmpty();
}

async::Task<QByteArrayList> successorsOf(jobs::Cluster cluster, QString worker)
{
    const zk::Answer<zk::Children> members =
        co_await recipes::Persistent(cluster.zk).children(cluster.layout.members());
    QByteArrayList successors;
    if (!members.ok())
        co_return successors;
    for (const QByteArray &name : members->names) {
        const QString member = QString::fromUtf8(name);
        if (member != worker && machineOf(member) == machineOf(worker))
            successors.append(name);
    }
    co_return successors;
}

} // namespace

OutputRequest sizesOf(const jobs::JobId &id, int attempt)
{
    OutputRequest request{.id = id, .attempt = attempt};
    request.outputFrom = 0;
    request.errorFrom = 0;
    request.atMost = 0;
    return request;
}

async::Task<QString> whyNotIn(OutputSource &source, jobs::FinalRecord record)
{
    const OutputRequest request = sizesOf(record.id, std::max(1, record.attempts.claimVersion));
    try {
        const OutputReply reply = co_await source.read(request);
        const std::optional<qint64> out = reply.output.value_or(OutputReply::Part()).size;
        const std::optional<qint64> error = reply.error.value_or(OutputReply::Part()).size;
        const bool same = record.outputTruncated || out.value_or(0) + error.value_or(0) == record.outputBytes;
        const QString lacks = QStringLiteral("worker %1 no longer has it").arg(record.worker);
        if (!out && !error && keepsNothing(record))
            co_return QStringLiteral("nothing of it was kept, because the job's --output-limit is 0");
        if (!out && !error)
            co_return lacks + QStringLiteral(": it was removed (worker --spool-keep, --spool-size)");
        co_return same ? QString() : lacks;
    } catch (const OutputLost &lost) {
        co_return QString::fromUtf8(lost.what());
    }
}

async::Task<std::unique_ptr<OutputSource>> sourceAtSuccessor(jobs::Cluster cluster, jobs::FinalRecord record)
{
    const QByteArrayList successors = co_await successorsOf(cluster, record.worker);
    for (const QByteArray &successor : successors) {
        auto there = std::make_unique<RemoteOutput>(cluster, successor);
        const QString notThere = co_await whyNotIn(*there, record);
        if (notThere.isEmpty())
            co_return std::unique_ptr<OutputSource>(std::move(there));
    }
    co_return std::unique_ptr<OutputSource>();
}

async::Task<std::unique_ptr<OutputSource>> sourceOfEnded(jobs::Cluster cluster, jobs::FinalRecord record)
{
    auto first = std::make_unique<RemoteOutput>(cluster, record.worker.toUtf8());
    const QString notThere = co_await whyNotIn(*first, record);
    if (notThere.isEmpty())
        co_return std::unique_ptr<OutputSource>(std::move(first));
    std::unique_ptr<OutputSource> elsewhere = co_await sourceAtSuccessor(cluster, record);
    if (!elsewhere)
        throw OutputLost(notThere);
    co_return elsewhere;
}

} // namespace drover::output
