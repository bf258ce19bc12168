#include "app/jobs/output_locator.h"

#include "app/environment/directories.h"
#include "jobs/model/worker_info.h"
#include "output/ended_output.h"
#include "output/local_output.h"
#include "output/remote_output.h"
#include "output/spool_files.h"
#include "recipes/blocks/persistent.h"
#include "recipes/elections/group.h"

#include <QFileInfo>
#include <QSysInfo>

namespace drover::app {

using output::OutputReply;
using output::RemoteOutput;
using zk::Answer;

namespace {

std::unique_ptr<output::OutputSource> spoolHere(Context &context, const QString &spool)
{
    return std::make_unique<output::LocalOutput>(context.loop(), spool);
}

// A worker of this machine, whose spool we may read.
bool isHere(const jobs::WorkerInfo &info)
{
    const QFileInfo spool(info.spool);
    if (!spool.isReadable() || !spool.isExecutable())
        return false;
    if (info.spoolPlace.isEmpty()) // it cannot tell, or is of an older version
        return info.host == QSysInfo::machineHostName();
    return info.spoolPlace == output::placeOf(info.spool);
}

// The submitter's clock and this machine's may differ.
bool isWrittenSince(std::chrono::milliseconds submittedAt, const output::SpoolFiles &files)
{
    constexpr std::chrono::minutes Tolerance{1};
    const auto isNew = [&](const QString &path) {
        const QFileInfo file(path);
        return file.exists() && file.lastModified().toMSecsSinceEpoch() > (submittedAt - Tolerance).count();
    };
    return isNew(files.output) || isNew(files.error);
}

async::Task<bool> hasFiles(output::OutputSource &source, jobs::JobId id, int attempt)
{
    const output::OutputRequest request = output::sizesOf(id, attempt);
    try {
        const OutputReply reply = co_await source.read(request);
        co_return reply.output.value_or(OutputReply::Part()).size || reply.error.value_or(OutputReply::Part()).size;
    } catch (const output::OutputLost &) {
        co_return false;
    }
}

} // namespace

QString defaultSpool(const QByteArray &cluster)
{
    return stateDirectory() + QStringLiteral("/spool/") + QString::fromLatin1(cluster);
}

async::Task<OutputPlace> placeOfRunning(Context &context, jobs::Cluster cluster, QString worker)
{
    const QString gone = QStringLiteral("worker %1 has gone").arg(worker);
    if (worker.isEmpty())
        co_return OutputPlace{nullptr, QStringLiteral("its claim is malformed")};
    const Answer<zk::Node> node =
        co_await recipes::Persistent(cluster.zk).get(cluster.layout.members() / worker.toUtf8());
    if (!node.ok())
        co_return OutputPlace{nullptr, gone};
    try {
        const jobs::WorkerInfo info = jobs::WorkerInfo::decode(node->data);
        if (isHere(info))
            co_return OutputPlace{spoolHere(context, info.spool), {}};
        if (!info.endpoint.isEmpty())
            co_return OutputPlace{std::make_unique<RemoteOutput>(cluster, worker.toUtf8()), {}};
    } catch (const jobs::Malformed &) {
        co_return OutputPlace{nullptr, QStringLiteral("the member node of worker %1 is malformed").arg(worker)};
    }
    co_return OutputPlace{nullptr, QStringLiteral("worker %1 on another machine serves no output").arg(worker)};
}

async::Task<OutputPlace> placeOfEnded(Context &context, jobs::Cluster cluster, jobs::FinalRecord record)
{
    OutputPlace first = co_await placeOfRunning(context, cluster, record.worker);
    QString trouble = first.trouble;
    if (first.source) {
        trouble = co_await output::whyNotIn(*first.source, record);
        if (trouble.isEmpty())
            co_return first;
    }
    OutputPlace here{spoolHere(context, defaultSpool(context.settings().cluster)), {}};
    const QString notHere = co_await output::whyNotIn(*here.source, record);
    if (notHere.isEmpty())
        co_return here;
    std::unique_ptr<output::OutputSource> elsewhere = co_await output::sourceAtSuccessor(cluster, record);
    if (elsewhere)
        trouble.clear();
    co_return OutputPlace{std::move(elsewhere), trouble};
}

async::Task<OutputPlace> placeOfEarlier(Context &context, jobs::Cluster cluster, jobs::JobId id, int claimVersion,
                                        QString likely, std::chrono::milliseconds submittedAt)
{
    const Answer<zk::Children> members = co_await recipes::Persistent(cluster.zk).children(cluster.layout.members());
    QStringList workers{likely};
    for (const QByteArray &name : members.ok() ? members->names : QByteArrayList())
        workers.append(QString::fromUtf8(name));
    workers.removeDuplicates();
    for (const QString &worker : workers) {
        OutputPlace there = co_await placeOfRunning(context, cluster, worker);
        if (!there.source)
            continue;
        const bool isThere = co_await hasFiles(*there.source, id, claimVersion);
        if (isThere)
            co_return there;
    }
    const QString spool = defaultSpool(context.settings().cluster);
    if (isWrittenSince(submittedAt, output::SpoolFiles::of(spool, id, claimVersion)))
        co_return OutputPlace{spoolHere(context, spool), {}};
    co_return OutputPlace{nullptr, QStringLiteral("no spool has it")};
}

} // namespace drover::app
