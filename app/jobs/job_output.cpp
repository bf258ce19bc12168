#include "app/jobs/job_output.h"

#include "app/jobs/archived_jobs.h"
#include "jobs/client/wait_for_job.h"
#include "output/attempt_end.h"
#include "text/quantity.h"

namespace drover::app {

using output::OutputLost;

namespace {

QString isArray(const jobs::JobView &job)
{
    return job.spec && job.spec->gang > 0
        ? QStringLiteral("%1 is a gang: drover logs %1.INDEX shows what a member writes").arg(job.id.toString())
        : QStringLiteral("%1 is an array: drover logs %1.INDEX shows what a task writes").arg(job.id.toString());
}

// Only the master writes the record of an array or a gang, and then it has no worker.
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
        m_places.write(output, error);
    });
}

async::Task<void> JobOutput::followAttempt(jobs::JobId id, jobs::Claim claim, int failed)
{
    const bool hasFailed = failed > std::exchange(m_failed, failed);
    const OutputPlace place = co_await placeOfRunning(m_context, m_cluster, claim.worker);
    if (!place.source) {
        Output::message(QStringLiteral("%1 runs on worker %2, whose output cannot be read here (%3); its end follows "
                                       "when it has ended")
                            .arg(id.toString(), claim.worker, place.trouble));
        co_await output::untilAttemptEnds(m_cluster, id, claim.attempts.claimVersion);
        co_return;
    }
    const int before = std::exchange(m_number, claim.attempts.number());
    if (m_reader && before != m_number)
        Output::message(QStringLiteral("attempt %1 %2; attempt %3 begins on %4")
                            .arg(before)
                            .arg(hasFailed ? QStringLiteral("has failed and is retried")
                                           : QStringLiteral("was lost with its worker"))
                            .arg(m_number)
                            .arg(claim.worker));
    else if (m_reader && m_reader->attempt() != claim.attempts.claimVersion && m_reader->hasBegun())
        Output::message(QStringLiteral("attempt %1 was put back; it begins again on %2").arg(before).arg(claim.worker));
    output::AttemptReader &reader = readerOf(id, claim.attempts.claimVersion);
    const output::AttemptReader::Interrupted interrupted = [](const QString &why) {
        Output::message(QStringLiteral("%1; trying again until the attempt has ended").arg(why));
    };
    try {
        co_await reader.follow(m_cluster, *place.source, interrupted);
    } catch (const OutputLost &) { // report the final record instead
    }
}

// Empty, or why it is not available.
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
    const std::optional<jobs::JobView> task = co_await findFinishedTask(m_context, m_cluster, record.id);
    if (!task)
        co_return;
    throw jobs::WrongState(
        QStringLiteral(
            "%1 was an array or a gang, and its tasks have the output: drover logs %2 shows the output of one "
            "that %3; drover ls %1 lists them")
            .arg(record.id.toString(), task->id.toString(),
                 task->state == jobs::JobState::Failed ? QStringLiteral("failed") : QStringLiteral("did not fail")));
}

async::Task<void> JobOutput::copyEnded(jobs::FinalRecord record)
{
    if (record.outputBytes == 0)
        co_return;
    output::AttemptReader &reader = readerOf(record.id, record.attempts.claimVersion);
    if (!reader.isWhole()) {
        const OutputPlace place = co_await placeOfEnded(m_context, m_cluster, record);
        const QString trouble = co_await readPresent(reader, place);
        if (!trouble.isEmpty()) {
            copyTail(record, reader.position(), trouble);
            co_return;
        }
    }
    if (record.state() == jobs::JobState::Failed && !m_streams.error)
        co_await copyError(record);
    else if (reader.position() == 0)
        nameOtherStream(record.id);
}

// A job that fails says why on standard error alone, so that is shown without being asked for.
async::Task<void> JobOutput::copyError(jobs::FinalRecord record)
{
    const OutputPlace place = co_await placeOfEnded(m_context, m_cluster, record);
    output::Streams streams = m_streams;
    streams.output = false;
    streams.error = true;
    const output::AttemptReader::Grew grew = [this](const QByteArray &output, const QByteArray &error) {
        m_places.write(output, error);
    };
    output::AttemptReader reader(record.id, record.attempts.claimVersion, streams, grew);
    const QString trouble = co_await readPresent(reader, place);
    if (!trouble.isEmpty())
        Output::message(
            QStringLiteral("the standard error of %1 cannot be read here: %2").arg(record.id.toString(), trouble));
}

void JobOutput::nameOtherStream(const jobs::JobId &id) const
{
    if (m_streams.output == m_streams.error)
        return;
    const QString text = m_streams.output
        ? QStringLiteral("%1 has no standard output; drover logs --stderr %1 shows its standard error")
        : QStringLiteral("%1 has no output on standard error; drover logs %1 shows its standard output");
    Output::message(text.arg(id.toString()));
}

// Prints the tail of the record, which has both streams in the order of arrival. It cannot be matched with copied
// output, so after a partial copy a message is printed instead.
void JobOutput::copyTail(const jobs::FinalRecord &record, qint64 copied, const QString &why)
{
    if (copied >= record.outputBytes)
        return; // all of it
    if (copied > 0) {
        Output::message(
            QStringLiteral("the rest of the output of %1 is not on this machine, and %2 (it has written %3 "
                           "bytes, and %4 have been read)")
                .arg(record.id.toString(), why, QString::number(record.outputBytes), QString::number(copied)));
        return;
    }
    Output::message(
        QStringLiteral("the output of %1 is not on this machine, and %2; these are the last %3 of its %4 bytes")
            .arg(record.id.toString(), why, QString::number(record.tail.size()), QString::number(record.outputBytes)));
    m_places.write(record.tail, {});
}

async::Task<jobs::FinalRecord> JobOutput::follow(jobs::JobId id)
{
    if (m_reader && m_reader->id() != id) { // it has been moved, and claims are counted from 1 again
        m_reader.reset();
        m_number = m_failed = 0;
    }
    for (;;) {
        const jobs::JobView view = co_await jobs::waitForStart(m_cluster, id);
        if (view.progress) {
            Output::message(isArray(view));
            co_return co_await jobs::waitForEnd(m_cluster, id);
        }
        if (jobs::isFinal(view.state)) {
            const jobs::FinalRecord record = co_await jobs::waitForEnd(m_cluster, id);
            co_await copyEnded(record);
            co_return record;
        }
        const int failed = view.spec ? view.spec->notes.failed : 0;
        co_await followAttempt(id, view.claim.value_or(jobs::Claim()), failed);
    }
}

// A job that was archived between two looks is in the history.
async::Task<jobs::FinalRecord> JobOutput::followOrCopyArchived(jobs::JobId id)
{
    std::optional<jobs::JobView> archived;
    const std::function<jobs::FinalRecord(const jobs::JobView &)> keep = [&archived](const jobs::JobView &past) {
        archived = past;
        return *past.record;
    };
    jobs::FinalRecord record = co_await orArchived(m_context, id, follow(id), keep);
    if (archived && !record.movedTo)
        co_await copy(*archived);
    co_return record;
}

async::Task<jobs::FinalRecord> JobOutput::followAnywhere(jobs::JobId id, Moved moved)
{
    jobs::FinalRecord record = co_await followOrCopyArchived(id);
    while (record.movedTo) {
        Output::hint(QStringLiteral("job %1 %2").arg(id.toString(), record.reason));
        id = *record.movedTo;
        if (moved)
            moved(id);
        record = co_await followOrCopyArchived(id);
    }
    co_return record;
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
        throw jobs::WrongState(
            QStringLiteral("job %1 has not begun%2 (%3); drover logs -f %1 waits for it%4")
                .arg(id.toString(),
                     view.attempts > 0 ? QStringLiteral(" its attempt %1").arg(view.attempts + 1) : QString(),
                     jobs::stateName(view.state),
                     view.attempts > 0 ? QStringLiteral(", drover logs --attempt %1 %2 shows the last one")
                                             .arg(QString::number(view.attempts), id.toString())
                                       : QString()));
    const OutputPlace place = co_await placeOfRunning(m_context, m_cluster, view.claim->worker);
    const QString trouble = co_await readPresent(readerOf(id, view.claim->attempts.claimVersion), place);
    if (!trouble.isEmpty())
        throw jobs::NotFound(QStringLiteral("job %1 runs on worker %2, whose output cannot be read here (%3); once it "
                                            "has ended its last lines can be")
                                 .arg(id.toString(), view.claim->worker, trouble));
}

namespace {

jobs::AttemptCount attemptsOf(const jobs::JobView &view)
{
    if (view.record)
        return view.record->attempts;
    if (view.claim)
        return view.claim->attempts;
    return view.spec ? view.spec->attempts(view.version) : jobs::AttemptCount();
}

} // namespace

async::Task<void> JobOutput::copyAttempt(jobs::JobView view, int number)
{
    if (view.progress)
        throw jobs::WrongState(isArray(view));
    if (view.record)
        co_await refuseArray(*view.record);
    const int begun = attemptsOf(view).number();
    if (number > begun)
        throw jobs::WrongState(QStringLiteral("job %1 has begun %2, so there is no attempt %3")
                                   .arg(view.id.toString(), text::formatCount(begun, "attempt", "attempts"))
                                   .arg(number));
    const bool isLast = view.claim || (view.record && !view.record->worker.isEmpty()); // an end without a run has none
    if (number == begun && isLast)
        co_await copy(std::move(view));
    else
        co_await copyEarlier(std::move(view), number);
}

// The files are named by the version of the claim. Claims that were given back have versions as well, and files if the
// job had begun. An attempt that wrote nothing has no file.
async::Task<void> JobOutput::copyEarlier(jobs::JobView view, int number)
{
    const jobs::AttemptCount count = attemptsOf(view);
    const QString likely = view.record ? view.record->worker : view.claim.value_or(jobs::Claim()).worker;
    const std::chrono::milliseconds submittedAt =
        view.record ? view.record->submittedAt : view.spec.value_or(jobs::JobSpec()).submittedAt;
    const int first = count.notStarted == 0 ? number : 1;
    const int last = count.notStarted == 0 ? number : count.claimVersion;
    std::vector<int> versions;
    std::vector<OutputPlace> places;
    for (int version = first; version <= last; ++version) {
        OutputPlace place = co_await placeOfEarlier(m_context, m_cluster, view.id, version, likely, submittedAt);
        if (!place.source)
            continue;
        versions.push_back(version);
        places.push_back(std::move(place));
    }
    const bool isSure = count.notStarted == 0 || versions.size() == static_cast<std::size_t>(count.number());
    if (!isSure || versions.empty())
        throw jobs::NotFound(
            QStringLiteral("the output of attempt %1 of %2 is not to be had: the attempt wrote none, its worker's "
                           "machine has no worker now, it was removed (worker --spool-keep, --spool-size), or claims "
                           "that were given back leave open which attempt it was")
                .arg(number)
                .arg(view.id.toString()));
    const std::size_t index = count.notStarted == 0 ? 0 : static_cast<std::size_t>(number - 1);
    const QString trouble = co_await readPresent(readerOf(view.id, versions[index]), places[index]);
    if (!trouble.isEmpty())
        throw jobs::NotFound(QStringLiteral("attempt %1 of %2: %3").arg(number).arg(view.id.toString(), trouble));
}

} // namespace drover::app
