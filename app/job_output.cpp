#include "app/job_output.h"

#include "app/past_jobs.h"
#include "jobs/wait.h"
#include "output/attempt_end.h"

namespace drover::app {

using output::OutputLost;

namespace {

void toStandardError(const QByteArray &data)
{
    std::fwrite(data.constData(), 1, static_cast<std::size_t>(data.size()), stderr);
}

QString isArray(const jobs::JobView &job)
{
    return job.spec && job.spec->gang > 0
        ? QStringLiteral("%1 is a gang: drover logs %1.INDEX shows what a member writes").arg(job.id.toString())
        : QStringLiteral("%1 is an array: drover logs %1.INDEX shows what a task writes").arg(job.id.toString());
}

// Nobody but the master writes the record of an array, or of a gang, and no worker is in it then.
bool mayHaveBeenArray(const jobs::FinalRecord &record)
{
    return !record.id.isTask() && record.worker.isEmpty();
}

} // namespace

output::AttemptReader &JobOutput::readerOf(const jobs::JobId &id, int attempt)
{
    if (m_reader && m_reader->attempt() == attempt)
        return *m_reader;
    if (m_reader && m_reader->hasBegun())
        m_streams.lastLines.reset(); // of a later attempt everything is new
    return m_reader.emplace(id, attempt, m_streams, [this](const QByteArray &output, const QByteArray &error) {
        m_context.out().bytes(output);
        toStandardError(error);
    });
}

async::Task<void> JobOutput::followAttempt(jobs::JobId id, jobs::Claim claim, int failed)
{
    const bool hasFailed = failed > std::exchange(m_failed, failed);
    const OutputPlace place = co_await placeOfRunning(m_context, m_zk, claim.worker);
    if (!place.source) {
        Output::message(QStringLiteral("%1 runs on worker %2, whose output cannot be read here (%3); its end follows "
                                       "when it has ended")
                            .arg(id.toString(), claim.worker, place.trouble));
        co_await output::untilAttemptEnds(m_zk, m_context.layout(), id, claim.attempt);
        co_return;
    }
    const int before = std::exchange(m_number, claim.number());
    if (m_reader && before != m_number)
        Output::message(QStringLiteral("attempt %1 %2; attempt %3 begins on %4")
                            .arg(before)
                            .arg(hasFailed ? QStringLiteral("has failed and is tried again")
                                           : QStringLiteral("was lost with its worker"))
                            .arg(m_number)
                            .arg(claim.worker));
    else if (m_reader && m_reader->attempt() != claim.attempt && m_reader->hasBegun())
        Output::message(QStringLiteral("attempt %1 was put back; it begins again on %2").arg(before).arg(claim.worker));
    output::AttemptReader &reader = readerOf(id, claim.attempt);
    const output::AttemptReader::Interrupted interrupted = [](const QString &why) {
        Output::message(QStringLiteral("%1; trying again until the attempt has ended").arg(why));
    };
    try {
        co_await reader.follow(m_zk, m_context.layout(), *place.source, interrupted);
    } catch (const OutputLost &) { // what its final record says is told instead
    }
}

// Empty, or why it cannot be had.
async::Task<QString> JobOutput::readPresent(output::AttemptReader &reader, const OutputPlace &place)
{
    if (!place.source)
        co_return place.trouble;
    try {
        co_await reader.readPresent(m_context.loop(), *place.source);
    } catch (const OutputLost &lost) {
        co_return QString::fromUtf8(lost.what());
    }
    co_return QString();
}

async::Task<void> JobOutput::refuseArray(jobs::FinalRecord record)
{
    if (!mayHaveBeenArray(record))
        co_return;
    const std::optional<jobs::JobView> task = co_await findEndedTask(m_context, m_zk, record.id);
    if (!task)
        co_return;
    throw jobs::WrongState(
        QStringLiteral(
            "%1 was an array or a gang, and its tasks have written what there is: drover logs %2 shows it of "
            "one that %3; drover ls %1 lists them")
            .arg(record.id.toString(), task->id.toString(),
                 task->state == jobs::JobState::Failed ? QStringLiteral("failed") : QStringLiteral("did not fail")));
}

async::Task<void> JobOutput::copyEnded(jobs::FinalRecord record)
{
    if (record.outputBytes == 0)
        co_return;
    output::AttemptReader &reader = readerOf(record.id, record.attempt);
    if (reader.isWhole())
        co_return;
    const OutputPlace place = co_await placeOfEnded(m_context, m_zk, record);
    const QString trouble = co_await readPresent(reader, place);
    if (!trouble.isEmpty())
        copyTail(record, reader.position(), trouble);
}

// The record's tail holds both streams, as they came: where what has been copied ends in it cannot be told, so that
// after a part of the output it would say some of it twice.
void JobOutput::copyTail(const jobs::FinalRecord &record, qint64 copied, const QString &why)
{
    if (copied >= record.outputBytes)
        return; // all of it
    if (copied > 0) {
        Output::message(QStringLiteral("the rest of the output of %1 is not on this machine, and %2 (it has written %3 "
                                       "bytes, and %4 have been read)")
                            .arg(record.id.toString(), why)
                            .arg(record.outputBytes)
                            .arg(copied));
        return;
    }
    Output::message(
        QStringLiteral("the output of %1 is not on this machine, and %2; these are the last %3 of its %4 bytes")
            .arg(record.id.toString(), why)
            .arg(record.tail.size())
            .arg(record.outputBytes));
    m_context.out().bytes(record.tail);
}

async::Task<jobs::FinalRecord> JobOutput::follow(jobs::JobId id)
{
    for (;;) {
        const jobs::JobView view = co_await jobs::waitForStart(m_zk, m_context.layout(), id);
        if (view.progress) {
            Output::message(isArray(view));
            const jobs::FinalRecord record = co_await jobs::waitForEnd(m_zk, m_context.layout(), id);
            co_return record;
        }
        if (jobs::isFinal(view.state)) {
            const jobs::FinalRecord record = co_await jobs::waitForEnd(m_zk, m_context.layout(), id);
            co_await copyEnded(record);
            co_return record;
        }
        const int failed = view.spec ? view.spec->failed : 0;
        co_await followAttempt(id, view.claim.value_or(jobs::Claim()), failed);
    }
}

async::Task<void> JobOutput::copy(jobs::JobView view)
{
    const jobs::JobId id = view.id;
    if (view.record) {
        co_await refuseArray(*view.record);
        co_await copyEnded(*view.record);
        co_return;
    }
    if (view.progress)
        throw jobs::WrongState(isArray(view));
    if (!view.claim)
        throw jobs::WrongState(QStringLiteral("job %1 has not begun (%2); drover logs -f %1 waits for it")
                                   .arg(id.toString(), jobs::stateName(view.state)));
    const OutputPlace place = co_await placeOfRunning(m_context, m_zk, view.claim->worker);
    const QString trouble = co_await readPresent(readerOf(id, view.claim->attempt), place);
    if (!trouble.isEmpty())
        throw jobs::NotFound(QStringLiteral("job %1 runs on worker %2, whose output cannot be read here (%3); once it "
                                            "has ended its last lines can be")
                                 .arg(id.toString(), view.claim->worker, trouble));
}

} // namespace drover::app
