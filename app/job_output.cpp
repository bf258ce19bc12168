#include "app/job_output.h"

#include "async/first_of.h"
#include "jobs/wait.h"
#include "output/attempt_end.h"
#include "output/remote_output.h"

namespace drover::app {

using namespace std::chrono_literals;
using output::OutputLost;
using output::OutputReply;

namespace {

constexpr auto LongestWait = output::OutputRequest::MaxWait;
constexpr auto RetryPause = 1s;
constexpr int Retries = 5; // for the rest of an attempt that has ended

void toStandardError(const QByteArray &data)
{
    std::fwrite(data.constData(), 1, static_cast<std::size_t>(data.size()), stderr);
}

QString isArray(const jobs::JobId &id)
{
    return QStringLiteral("%1 is an array: drover logs %1.INDEX shows what a task writes").arg(id.toString());
}

// Whether as much has been copied as was there at the time of `reply`.
bool isBeyond(const output::OutputRequest &next, const OutputReply &reply)
{
    const auto isCopied = [](const std::optional<qint64> &from, const std::optional<OutputReply::Part> &part) {
        return !from || !part || *from >= part->size.value_or(0);
    };
    return isCopied(next.outputFrom, reply.output) && isCopied(next.errorFrom, reply.error);
}

} // namespace

// Of another attempt than before: from its beginning, or from the last lines of it.
async::Task<void> JobOutput::begin(output::OutputSource &source, jobs::JobId id, int attempt)
{
    using output::Stream;
    if (m_next.attempt == attempt)
        co_return;
    output::OutputRequest next{.id = id, .attempt = attempt};
    if (m_streams.output)
        next.outputFrom = 0;
    if (m_streams.error)
        next.errorFrom = 0;
    if (m_streams.lastLines && m_next.attempt == 0) {
        const qint64 lines = *m_streams.lastLines;
        if (m_streams.output) {
            const qint64 from = co_await output::startOfLastLines(source, next, Stream::Output, lines);
            next.outputFrom = from;
        }
        if (m_streams.error) {
            const qint64 from = co_await output::startOfLastLines(source, next, Stream::Error, lines);
            next.errorFrom = from;
        }
    }
    m_next = next;
    m_whole = false;
}

// What has been copied; no news if there was nothing within that time. Throws OutputLost.
async::Task<OutputReply> JobOutput::copyNext(output::OutputSource &source, std::chrono::milliseconds wait)
{
    m_next.wait = wait;
    const OutputReply reply = co_await source.read(m_next);
    if (m_next.outputFrom && reply.output) {
        m_context.out().bytes(reply.output->bytes);
        *m_next.outputFrom += reply.output->bytes.size();
    }
    if (m_next.errorFrom && reply.error) {
        toStandardError(reply.error->bytes);
        *m_next.errorFrom += reply.error->bytes.size();
    }
    co_return reply;
}

// As it comes, whatever happens to the connection; says so once each time.
async::Task<void> JobOutput::copyForEver(output::OutputSource &source, jobs::JobId id, int attempt)
{
    for (bool told = false;;) {
        QString trouble;
        try {
            co_await begin(source, id, attempt);
            co_await copyNext(source, LongestWait);
            told = false;
        } catch (const OutputLost &lost) {
            trouble = QString::fromUtf8(lost.what());
        }
        if (trouble.isEmpty())
            continue;
        if (!std::exchange(told, true))
            Output::message(QStringLiteral("%1; trying again until the attempt has ended").arg(trouble));
        co_await async::sleepFor(m_context.loop(), RetryPause);
    }
}

// Of an attempt that writes no more. Throws OutputLost, after a few seconds.
async::Task<void> JobOutput::copyRest(output::OutputSource &source, jobs::JobId id, int attempt)
{
    co_await copyPresent(source, id, attempt);
    m_whole = true;
}

// Up to the sizes that the first reply names: what goes on writing would never let us end. Throws the same.
async::Task<void> JobOutput::copyPresent(output::OutputSource &source, jobs::JobId id, int attempt)
{
    std::optional<OutputReply> first;
    for (int failures = 0;;) {
        std::exception_ptr trouble;
        try {
            co_await begin(source, id, attempt);
            const OutputReply reply = co_await copyNext(source, 0ms);
            if (!first)
                first = reply;
            if (!reply.isNews() || isBeyond(m_next, *first))
                break;
        } catch (const output::WorkerGone &) {
            throw;
        } catch (const OutputLost &) {
            trouble = std::current_exception();
        }
        if (!trouble)
            continue;
        if (++failures == Retries)
            std::rethrow_exception(trouble);
        co_await async::sleepFor(m_context.loop(), RetryPause);
    }
}

async::Task<void> JobOutput::followAttempt(jobs::JobId id, jobs::Claim claim)
{
    const OutputPlace place = co_await placeOfRunning(m_context, m_zk, claim.worker);
    if (!place.source) {
        Output::message(QStringLiteral("%1 runs on worker %2, whose output cannot be read here (%3); its end follows "
                                       "when it has ended")
                            .arg(id.toString(), claim.worker, place.trouble));
        co_await output::untilAttemptEnds(m_zk, m_context.layout(), id, claim.attempt);
        co_return;
    }
    if (m_next.attempt != 0 && m_next.attempt != claim.attempt)
        Output::message(QStringLiteral("attempt %1 was lost with its worker; attempt %2 begins on %3")
                            .arg(m_next.attempt)
                            .arg(claim.attempt)
                            .arg(claim.worker));
    std::vector<async::Task<void>> parts;
    parts.push_back(output::untilAttemptEnds(m_zk, m_context.layout(), id, claim.attempt));
    parts.push_back(copyForEver(*place.source, id, claim.attempt));
    co_await async::firstOf(m_context.loop(), std::move(parts));
    try {
        co_await copyRest(*place.source, id, claim.attempt);
    } catch (const OutputLost &) { // what its final record says is told instead
    }
}

async::Task<void> JobOutput::copyEnded(jobs::FinalRecord record)
{
    if (record.outputBytes == 0 || (m_whole && m_next.attempt == record.attempt))
        co_return;
    const OutputPlace place = co_await placeOfEnded(m_context, m_zk, record);
    QString trouble = place.trouble;
    if (place.source) {
        try {
            co_await copyRest(*place.source, record.id, record.attempt);
        } catch (const OutputLost &lost) {
            trouble = QString::fromUtf8(lost.what());
        }
    }
    if (!trouble.isEmpty())
        copyTail(record, trouble);
}

// The record's tail holds both streams, as they came: where what has been copied ends in it cannot be told, so that
// after a part of the output it would say some of it twice.
void JobOutput::copyTail(const jobs::FinalRecord &record, const QString &why)
{
    const bool isBegun = m_next.attempt == record.attempt;
    const qint64 copied = isBegun ? m_next.outputFrom.value_or(0) + m_next.errorFrom.value_or(0) : 0;
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
            Output::message(isArray(id));
            const jobs::FinalRecord record = co_await jobs::waitForEnd(m_zk, m_context.layout(), id);
            co_return record;
        }
        if (jobs::isFinal(view.state)) {
            const jobs::FinalRecord record = co_await jobs::waitForEnd(m_zk, m_context.layout(), id);
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
        throw jobs::WrongState(isArray(id));
    if (!view.claim)
        throw jobs::WrongState(QStringLiteral("job %1 has not begun (%2); drover logs -f %1 waits for it")
                                   .arg(id.toString(), jobs::stateName(view.state)));
    const OutputPlace place = co_await placeOfRunning(m_context, m_zk, view.claim->worker);
    QString trouble = place.trouble;
    if (place.source) {
        try {
            co_await copyPresent(*place.source, id, view.claim->attempt);
        } catch (const OutputLost &lost) {
            trouble = QString::fromUtf8(lost.what());
        }
    }
    if (!trouble.isEmpty())
        throw jobs::NotFound(QStringLiteral("job %1 runs on worker %2, whose output cannot be read here (%3); once it "
                                            "has ended its last lines can be")
                                 .arg(id.toString(), view.claim->worker, trouble));
}

} // namespace drover::app
