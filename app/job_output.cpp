#include "app/job_output.h"

#include "app/directories.h"
#include "async/future.h"
#include "jobs/wait.h"
#include "recipes/persist.h"
#include "workers/execution.h"

#include <QFile>
#include <QSysInfo>

namespace drover::app {

using namespace std::chrono_literals;
using zk::Answer;

namespace {

constexpr auto PollInterval = 50ms; // how late output is seen while a job runs

// The part of a growing file that has not been copied yet. The file appears with its first byte.
class Tail
{
public:
    explicit Tail(const QString &path) : m_file(path) { }

    bool exists() const { return m_file.exists(); }
    qint64 size() const { return m_file.size(); }

    template <typename Sink>
    void pump(const Sink &sink)
    {
        if (!m_file.isOpen() && !m_file.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
            return;
        for (QByteArray chunk = m_file.read(ChunkSize); !chunk.isEmpty(); chunk = m_file.read(ChunkSize))
            sink(chunk);
    }

private:
    static constexpr qint64 ChunkSize = qint64(256) * 1024;
    QFile m_file;
};

// A claim that somebody has made unreadable counts as the one it was: its worker still runs the job.
bool isAttempt(const zk::Node &claim, int attempt)
{
    try {
        return jobs::Claim::decode(claim.data).attempt == attempt;
    } catch (const jobs::Malformed &) {
        return true;
    }
}

void toStandardError(const QByteArray &data)
{
    std::fwrite(data.constData(), 1, static_cast<std::size_t>(data.size()), stderr);
}

} // namespace

QString defaultSpool(const QByteArray &cluster)
{
    return stateDirectory() + QStringLiteral("/spool/") + QString::fromLatin1(cluster);
}

// The two files of one attempt.
class JobOutput::Files
{
public:
    Files(const JobOutput &owner, const QString &spool, const jobs::JobId &id, int attempt)
        : m_owner(owner), m_output(workers::outputFile(spool, id, attempt)),
          m_error(workers::errorFile(spool, id, attempt))
    {
    }

    bool exist() const { return m_output.exists() || m_error.exists(); }
    qint64 size() const { return m_output.size() + m_error.size(); }

    void pump()
    {
        if (m_owner.m_streams.output)
            m_output.pump([this](const QByteArray &data) { m_owner.m_context.out().bytes(data); });
        if (m_owner.m_streams.error)
            m_error.pump(toStandardError);
    }

private:
    const JobOutput &m_owner;
    Tail m_output;
    Tail m_error;
};

// Nothing if the worker has gone, cannot be read, or is on another machine.
async::Task<std::optional<QString>> JobOutput::spoolOf(QString worker)
{
    if (worker.isEmpty())
        co_return std::nullopt;
    const zk::Path path = m_context.layout().members() / worker.toUtf8();
    const auto read = [&] { return m_zk.get(path); };
    const Answer<zk::Node> node = co_await recipes::persist(m_zk, read);
    if (!node.ok())
        co_return std::nullopt;
    try {
        const jobs::WorkerInfo info = jobs::WorkerInfo::decode(node->data);
        if (info.host == QSysInfo::machineHostName())
            co_return info.spool;
    } catch (const jobs::Malformed &) {
    }
    co_return std::nullopt;
}

async::Task<void> JobOutput::followAttempt(jobs::JobId id, jobs::Claim claim)
{
    const std::optional<QString> spool = co_await spoolOf(claim.worker);
    if (!spool) {
        Output::message(
            QStringLiteral("%1 runs on worker %2, whose output cannot be read here; its end follows when it "
                           "has ended")
                .arg(id.toString(), claim.worker));
    } else if (m_shownAttempt != 0 && m_shownAttempt != claim.attempt) {
        Output::message(QStringLiteral("attempt %1 was lost with its worker; attempt %2 begins on %3")
                            .arg(m_shownAttempt)
                            .arg(claim.attempt)
                            .arg(claim.worker));
    }
    Files files(*this, spool.value_or(QString()), id, claim.attempt);
    if (spool)
        m_shownAttempt = claim.attempt;

    const zk::Path path = m_context.layout().claim(id);
    for (;;) {
        zk::Watch watch;
        const auto read = [&] { return m_zk.get(path, watch); };
        const Answer<zk::Node> node = co_await recipes::persist(m_zk, read);
        if (!node.ok() || !isAttempt(*node, claim.attempt))
            break;
        const async::Future<zk::WatchEvent> changed = watch.fired();
        while (!changed.ready()) {
            if (spool)
                files.pump();
            async::Promise<int> tick;
            const async::Future<int> ticked = tick.future();
            const async::Timer timer = m_context.loop().after(PollInterval, [&tick] { tick.set(0); });
            co_await async::eitherReady(changed, ticked);
        }
        co_await changed;
    }
    if (spool)
        files.pump();
}

async::Task<void> JobOutput::copyEnded(jobs::FinalRecord record)
{
    std::optional<QString> spool = co_await spoolOf(record.worker);
    if (!spool)
        spool = defaultSpool(m_context.settings().cluster); // of a worker that has gone
    Files files(*this, *spool, record.id, record.attempt);
    // An older cluster of the same name may have left a file of this name: its size tells.
    if (files.exist() && (record.outputTruncated || files.size() == record.outputBytes)) {
        files.pump();
        co_return;
    }
    if (record.outputBytes == 0)
        co_return;
    const auto tailSize = static_cast<qint64>(record.tail.size());
    Output::message(QStringLiteral("the output of %1 is not on this machine; these are the last %2 of its %3 bytes")
                        .arg(record.id.toString())
                        .arg(tailSize)
                        .arg(record.outputBytes));
    m_context.out().bytes(record.tail);
}

async::Task<jobs::FinalRecord> JobOutput::follow(jobs::JobId id)
{
    for (;;) {
        const jobs::JobView view = co_await jobs::waitForStart(m_zk, m_context.layout(), id);
        if (view.progress) {
            Output::message(
                QStringLiteral("%1 is an array: drover logs %1.INDEX shows what a task writes").arg(id.toString()));
            const jobs::FinalRecord record = co_await jobs::waitForEnd(m_zk, m_context.layout(), id);
            co_return record;
        }
        if (jobs::isFinal(view.state)) {
            const jobs::FinalRecord record = co_await jobs::waitForEnd(m_zk, m_context.layout(), id);
            if (record.attempt != m_shownAttempt || m_shownAttempt == 0)
                co_await copyEnded(record);
            co_return record;
        }
        co_await followAttempt(id, view.claim.value_or(jobs::Claim()));
    }
}

async::Task<void> JobOutput::copy(jobs::JobView view)
{
    const jobs::JobId id = view.id;
    if (view.record) {
        co_await copyEnded(*view.record);
        co_return;
    }
    if (view.progress)
        throw jobs::WrongState(
            QStringLiteral("%1 is an array: drover logs %1.INDEX shows what a task writes").arg(id.toString()));
    if (!view.claim)
        throw jobs::WrongState(QStringLiteral("job %1 has not begun (%2); drover logs -f %1 waits for it")
                                   .arg(id.toString(), jobs::stateName(view.state)));
    const std::optional<QString> spool = co_await spoolOf(view.claim->worker);
    if (!spool)
        throw jobs::NotFound(QStringLiteral("job %1 runs on worker %2, whose output cannot be read here; once it has "
                                            "ended its last lines can be")
                                 .arg(id.toString(), view.claim->worker));
    Files(*this, *spool, id, view.claim->attempt).pump();
}

} // namespace drover::app
