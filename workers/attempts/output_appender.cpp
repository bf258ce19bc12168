#include "workers/attempts/output_appender.h"

#include "async/event.h"
#include "async/first_of.h"
#include "async/offload.h"
#include "files/file_store.h"
#include "files/ledgers.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/ticket.h"
#include "workers/claims/start_attempt.h"

#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <functional>

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr int CannotAppend = 74; // EX_IOERR of sysexits.h
constexpr auto WatchDelay = 50ms; // most appends are over before a watch would pay
constexpr auto FirstPause = 500ms; // between two tries
constexpr auto LongestPause = 30s;
constexpr auto LongestLook = 10min; // for the record of an earlier attempt, by a job that has failed
constexpr std::size_t KeptFiles = 16; // kept open, with the keys they know, while unused

// The file behind the links of the path. Blocks.
QString allowedFile(const QString &path, const QStringList &folders)
{
    const QString file = files::FileStore::canonicalPath(path);
    const auto isAbove = [&file](const QString &folder) {
        const QString canonical = QFileInfo(folder).canonicalFilePath(); // empty: it is not there
        return !canonical.isEmpty() && file.startsWith(canonical + u'/');
    };
    if (!folders.isEmpty() && std::none_of(folders.begin(), folders.end(), isAbove))
        throw files::FileError(QStringLiteral("append to %1, which this worker does not allow").arg(file), EACCES);
    return file;
}

// Whether an earlier attempt may have come as far. One that failed has not.
bool mayHaveSucceededBefore(const ClaimedJob &job)
{
    const jobs::JobNotes &notes = job.spec.notes;
    return notes.returned > 0 || job.attempts.number() > notes.failed + 1;
}

// Or this one in an earlier life.
bool mayHaveAppendedBefore(const ClaimedJob &job)
{
    return job.kept || mayHaveSucceededBefore(job);
}

bool appends(const ClaimedJob &job, const Outcome &outcome, const jobs::FinalRecord &record)
{
    return !job.spec.appendTo.isEmpty() && record.state() == jobs::JobState::Succeeded && outcome.outputBytes > 0;
}

QString endOf(const jobs::FinalRecord &record)
{
    return record.reason.isEmpty() ? QStringLiteral("exit code %1").arg(record.exitCode()) : record.reason;
}

// Of a failed job, for which the file could not be asked.
void addDoubt(jobs::FinalRecord &record, const QString &path, const QString &why)
{
    record.reason = QStringLiteral("%1; %2 may have the output of an earlier attempt, which is not known: %3")
                        .arg(endOf(record), path, why);
}

async::Task<void> endTheLook(async::Loop &loop, const QString &trouble)
{
    co_await async::sleepFor(loop, LongestLook);
    const QString why = trouble.isEmpty() ? QStringLiteral("it does not answer") : trouble;
    throw std::runtime_error(QStringLiteral("%1 (after 10 minutes)").arg(why).toStdString());
}

bool mayHaveFailedAfterASuccess(const ClaimedJob &job, const jobs::FinalRecord &record)
{
    return !job.spec.appendTo.isEmpty() && record.state() == jobs::JobState::Failed && mayHaveSucceededBefore(job);
}

} // namespace

bool OutputAppender::needsFile(const ClaimedJob &job, const Outcome &outcome, const jobs::FinalRecord &record)
{
    return appends(job, outcome, record) || mayHaveFailedAfterASuccess(job, record);
}

async::Task<void> OutputAppender::append(ClaimedJob job, Outcome outcome, QString output, jobs::FinalRecord &record)
{
    if (appends(job, outcome, record))
        co_await appendOutput(job, outcome, output, record);
    if (mayHaveFailedAfterASuccess(job, record))
        co_await askForEarlier(job, record);
}

async::Task<void> OutputAppender::appendOutput(ClaimedJob job, Outcome outcome, QString output,
                                               jobs::FinalRecord &record)
{
    const QString path = job.spec.appendTo;
    QString trouble;
    Place place = Place::Unknown;
    try {
        if (outcome.outputTruncated)
            trouble = outcome.outputBytes > static_cast<quint64>(m_bounds.outputOf(job.spec))
                ? QStringLiteral("not all of it was kept (--output-limit, or --max-output of the worker)")
                : QStringLiteral("not all of it was kept");
        else
            co_await untilPlaced(job, output, place);
    } catch (const zk::SessionLost &) {
        throw;
    } catch (const std::exception &error) {
        trouble = QStringLiteral("%1; then, by hand: drover logs %2 | drover append --key %2 %3")
                      .arg(QString::fromUtf8(error.what()), job.id.toString(), path);
    }
    if (trouble.isEmpty() && place != Place::InFile) {
        const QString reason = place == Place::Nowhere
            ? QStringLiteral("cancelled before its output was appended to %1, which does not get it")
            : QStringLiteral("cancelled while its output was appended to %1, which may get it yet");
        record.outcome = jobs::FinalRecord::Outcome::Cancelled;
        record.reason = reason.arg(path);
    }
    if (trouble.isEmpty())
        co_return;
    record.code = CannotAppend;
    const QString before = record.reason.isEmpty() ? QString() : u"; "_qs + record.reason; // a full disk, for example
    record.reason =
        QStringLiteral("the command succeeded, but its output was not appended to %1: %2%3").arg(path, trouble, before);
}

// Of a job whose last attempt has failed, or was lost.
async::Task<void> OutputAppender::askForEarlier(ClaimedJob job, jobs::FinalRecord &record)
{
    const QString path = job.spec.appendTo;
    Place place = Place::Unknown;
    try {
        co_await untilPlaced(job, std::nullopt, place);
    } catch (const zk::SessionLost &) {
        throw;
    } catch (const files::FileError &) { // nothing is reserved, and no file of that name has a ledger
        place = Place::Nowhere;
    } catch (const std::exception &error) {
        place = Place::Nowhere;
        addDoubt(record, path, QString::fromUtf8(error.what()));
    }
    if (place == Place::Unknown) {
        record.outcome = jobs::FinalRecord::Outcome::Cancelled;
        record.reason =
            QStringLiteral("cancelled while %1 was searched for the output of an earlier attempt").arg(path);
    }
    if (place != Place::InFile)
        co_return;
    const QString end = endOf(record);
    const QString then = record.outcome == jobs::FinalRecord::Outcome::GaveUp ? QStringLiteral("it was given up")
                                                                              : QStringLiteral("the last one failed");
    record.outcome = jobs::FinalRecord::Outcome::Exited;
    record.code = record.signal = 0;
    record.reason = QStringLiteral("an earlier attempt has succeeded: %1 has its output; %2 (%3)").arg(path, then, end);
}

// Returns when the record is in the file or certainly is not and will not be, or when the job is no longer this
// attempt's. Then the place is unknown. Without `output` it only looks for the record.
async::Task<void> OutputAppender::untilPlaced(ClaimedJob job, std::optional<QString> output, Place &place)
{
    QString trouble; // with the file, at the last try
    std::vector<async::Task<void>> parts;
    parts.push_back(placeNow(job, output, place, trouble));
    parts.push_back(untilTouched(job));
    if (!output)
        parts.push_back(endTheLook(m_cluster.zk.loop(), trouble));
    co_await async::firstOf(m_cluster.zk.loop(), std::move(parts));
}

async::Task<void> OutputAppender::placeNow(ClaimedJob job, std::optional<QString> output, Place &place,
                                           QString &trouble)
{
    const QString waits = output ? QStringLiteral("%1 to take its output: %2")
                                 : QStringLiteral("%1 to show whether it has the output of an earlier attempt: %2");
    async::Duration pause = FirstPause;
    for (bool mayBeThere = false;; mayBeThere = true) {
        const QString found = co_await tryToPlace(job, output, mayBeThere, place);
        trouble = found;
        if (trouble.isEmpty())
            co_return;
        co_await publishWait(m_cluster, job, waits.arg(job.spec.appendTo, trouble));
        co_await async::sleepFor(m_cluster.zk.loop(), pause);
        pause = std::min<async::Duration>(2 * pause, LongestPause);
    }
}

// What keeps the record from the file, which may get it yet, or keeps this from finding it; empty: `place` says where
// it is, or the job is no longer this attempt's.
async::Task<QString> OutputAppender::tryToPlace(ClaimedJob job, std::optional<QString> output, bool mayBeThere,
                                                Place &place)
{
    std::exception_ptr refusal;
    QString trouble;
    try {
        place = co_await placeOnce(job, output);
        co_return QString();
    } catch (const files::AppendRevoked &) {
        place = Place::Nowhere;
        co_return QString();
    } catch (const files::AppendUnsettled &unsettled) {
        co_return QString::fromUtf8(unsettled.what());
    } catch (const files::FileRefused &error) { // its log has the keys, and is not to be trusted
        if (!mayBeThere && !mayHaveAppendedBefore(job))
            throw;
        co_return QString::fromUtf8(error.what());
    } catch (const files::FileError &error) {
        refusal = std::current_exception();
        trouble = QString::fromUtf8(error.what());
    }
    if (!mayBeThere && mayHaveAppendedBefore(job))
        mayBeThere = co_await files::mayHaveRecord(m_cluster.zk, m_cluster.layout, job.spec.appendTo, job.id.bytes());
    if (!mayBeThere)
        std::rethrow_exception(refusal);
    co_return trouble;
}

async::Task<OutputAppender::Place> OutputAppender::placeOnce(ClaimedJob job, std::optional<QString> output)
{
    const QString path = job.spec.appendTo;
    if (m_files.size() > KeptFiles)
        std::erase_if(m_files, [](const auto &file) { return file.second.use_count() == 1; });
    if (!m_files.contains(path)) {
        const std::function<QString()> look = [path, folders = m_folders] { return allowedFile(path, folders); };
        const QString canonical = co_await async::offload<QString>(m_cluster.zk.loop(), look);
        std::unique_ptr<files::SharedFile> opened =
            co_await files::SharedFile::open(m_cluster.zk, m_cluster.layout, canonical, m_worker);
        m_files.try_emplace(path, std::move(opened)); // another job of ours may have been faster
    }
    const std::shared_ptr<files::SharedFile> file = m_files.at(path);
    if (!output) {
        const std::optional<files::SharedFile::Appended> found = co_await file->find(job.id.bytes());
        co_return found ? Place::InFile : Place::Nowhere;
    }
    const zk::Transaction::Check attempt{m_cluster.layout.job(job.id.queue, job.entry), job.fenceVersion()};
    const files::SharedFile::Appended appended = co_await file->appendFile(job.id.bytes(), *output, attempt);
    Q_UNUSED(appended)
    co_return Place::InFile;
}

// Returns when the job is cancelled or belongs to another attempt. The append itself may hang for ever.
async::Task<void> OutputAppender::untilTouched(ClaimedJob job)
{
    co_await async::sleepFor(m_cluster.zk.loop(), WatchDelay);
    async::Event touched;
    const auto onChange = [&touched, &job](const zk::Node *node) {
        if (!node || node->stat.mzxid != job.fenceZxid())
            touched.set();
    };
    co_await async::firstOf(m_cluster.zk.loop(),
                            recipes::followData(m_cluster.zk, m_cluster.layout.job(job.id.queue, job.entry), onChange),
                            async::untilSet(touched));
}

} // namespace drover::workers
