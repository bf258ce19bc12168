#include "output/attempt_reader.h"

#include "async/first_of.h"
#include "output/attempt_end.h"
#include "output/remote_output.h"

namespace drover::output {

using namespace std::chrono_literals;

namespace {

constexpr auto RetryPause = 1s;
constexpr int Attempts = 5; // to read what is there

} // namespace

AttemptReader::AttemptReader(const jobs::JobId &id, int attempt, const Streams &streams, Grew grew)
    : m_streams(streams), m_grew(std::move(grew)), m_next{.id = id, .attempt = attempt}
{
}

async::Task<void> AttemptReader::follow(jobs::Cluster cluster, OutputSource &source, Interrupted interrupted)
{
    co_await async::firstOf(cluster.zk.loop(), untilAttemptEnds(cluster, m_next.id, m_next.attempt),
                            readForEver(cluster.zk.loop(), source, std::move(interrupted)));
    co_await readPresent(cluster.zk.loop(), source);
    m_isWhole = true;
}

async::Task<void> AttemptReader::readPresent(async::Loop &loop, OutputSource &source)
{
    std::optional<OutputReply> first;
    for (int failures = 0;;) {
        std::exception_ptr trouble;
        try {
            co_await begin(source);
            const OutputReply reply = co_await readNext(source, 0ms);
            if (!first)
                first = reply;
            if (!reply.isNews() || isBeyond(*first))
                co_return;
        } catch (const WorkerGone &) {
            throw;
        } catch (const OutputLost &) {
            trouble = std::current_exception();
        }
        if (!trouble)
            continue;
        if (++failures == Attempts)
            std::rethrow_exception(trouble);
        co_await async::sleepFor(loop, RetryPause);
    }
}

async::Task<void> AttemptReader::readForEver(async::Loop &loop, OutputSource &source, Interrupted interrupted)
{
    for (bool told = false;;) {
        QString why;
        try {
            co_await begin(source);
            co_await readNext(source, OutputRequest::MaxWait);
            told = false;
        } catch (const OutputLost &lost) {
            why = QString::fromUtf8(lost.what());
        }
        if (why.isEmpty())
            continue;
        if (!std::exchange(told, true))
            interrupted(why);
        co_await async::sleepFor(loop, RetryPause);
    }
}

async::Task<void> AttemptReader::begin(OutputSource &source)
{
    if (hasBegun())
        co_return;
    OutputRequest next = m_next;
    if (m_streams.output) {
        const qint64 from = co_await startOf(source, Stream::Output);
        next.outputFrom = from;
    }
    if (m_streams.error) {
        const qint64 from = co_await startOf(source, Stream::Error);
        next.errorFrom = from;
    }
    m_next = next; // both or none, so that a failure between them repeats both
}

async::Task<qint64> AttemptReader::startOf(OutputSource &source, Stream stream) const
{
    qint64 start = 0;
    if (m_streams.lastLines)
        start = co_await startOfLastLines(source, m_next, stream, *m_streams.lastLines);
    else if (m_streams.lastBytes)
        start = co_await startOfLastBytes(source, m_next, stream, *m_streams.lastBytes);
    co_return start;
}

// No news if nothing came within that time.
async::Task<OutputReply> AttemptReader::readNext(OutputSource &source, std::chrono::milliseconds wait)
{
    m_next.wait = wait;
    const OutputReply reply = co_await source.read(m_next);
    const OutputReply::Part output = reply.output.value_or(OutputReply::Part());
    const OutputReply::Part error = reply.error.value_or(OutputReply::Part());
    if (m_next.outputFrom)
        *m_next.outputFrom += output.length();
    if (m_next.errorFrom)
        *m_next.errorFrom += error.length();
    if (reply.isNews())
        m_grew(output.text(), error.text());
    co_return reply;
}

// Whether as much has been read as was there at the time of that reply.
bool AttemptReader::isBeyond(const OutputReply &reply) const
{
    const auto isRead = [](const std::optional<qint64> &from, const std::optional<OutputReply::Part> &part) {
        return !from || !part || *from >= part->size.value_or(0);
    };
    return isRead(m_next.outputFrom, reply.output) && isRead(m_next.errorFrom, reply.error);
}

} // namespace drover::output
