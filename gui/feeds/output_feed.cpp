#include "gui/feeds/output_feed.h"

#include "async/first_of.h"
#include "output/attempt_end.h"
#include "output/remote_output.h"

#include <algorithm>

namespace drover::gui {

using namespace std::chrono_literals;
using output::OutputLost;
using output::OutputReply;
using output::OutputRequest;

namespace {

constexpr qint64 Shown = qint64(64) * 1024; // bytes of what was there before
constexpr auto RetryPause = 1s;

qint64 startOf(const std::optional<OutputReply::Part> &part)
{
    return std::max<qint64>(0, part.value_or(OutputReply::Part()).size.value_or(0) - Shown);
}

} // namespace

void OutputFeed::follow(int request, const jobs::JobId &id, int attempt, const QString &worker)
{
    if (!attached()) {
        Q_EMIT interrupted(request, tr("Not connected."));
        return;
    }
    m_following.erase(request);
    const auto ignore = [](const std::exception_ptr &) {}; // the session has ended: whoever attached us knows
    m_following.try_emplace(request, ignore).first->second.spawn(followTask(request, id, attempt, worker.toUtf8()));
}

void OutputFeed::end()
{
    for (const auto &[request, task] : std::exchange(m_following, {}))
        Q_EMIT interrupted(request, tr("the session has ended"));
}

void OutputFeed::stop(int request)
{
    m_following.erase(request);
}

async::Task<void> OutputFeed::followTask(int request, jobs::JobId id, int attempt, QByteArray worker)
{
    output::RemoteOutput source(zk(), layout(), worker);
    OutputRequest next{.id = id, .attempt = attempt};
    std::vector<async::Task<void>> parts;
    parts.push_back(output::untilAttemptEnds(zk(), layout(), id, attempt));
    parts.push_back(readForEver(request, source, next));
    co_await async::firstOf(zk().loop(), std::move(parts));
    try {
        bool more = next.outputFrom.has_value();
        next.wait = {};
        while (more)
            more = co_await readNext(request, source, next);
    } catch (const OutputLost &lost) {
        Q_EMIT interrupted(request, QString::fromUtf8(lost.what()));
    }
    Q_EMIT ended(request);
}

async::Task<void> OutputFeed::readForEver(int request, output::OutputSource &source, OutputRequest &next)
{
    for (;;) {
        QString why;
        try {
            if (!next.outputFrom) { // the end of what there is
                next.outputFrom = 0;
                next.errorFrom = 0;
                next.atMost = 0;
                const OutputReply there = co_await source.read(next);
                next.outputFrom = startOf(there.output);
                next.errorFrom = startOf(there.error);
                next.atMost = OutputRequest::MaxBytes;
                next.wait = OutputRequest::MaxWait;
            }
            co_await readNext(request, source, next);
        } catch (const OutputLost &lost) {
            why = QString::fromUtf8(lost.what());
        }
        if (why.isEmpty())
            continue;
        if (next.atMost == 0)
            next.outputFrom.reset();
        Q_EMIT interrupted(request, why);
        co_await async::sleepFor(zk().loop(), RetryPause);
    }
}

// False if there was nothing.
async::Task<bool> OutputFeed::readNext(int request, output::OutputSource &source, OutputRequest &next)
{
    const OutputReply reply = co_await source.read(next);
    if (!reply.isNews())
        co_return false;
    const QByteArray output = reply.output.value_or(OutputReply::Part()).bytes;
    const QByteArray error = reply.error.value_or(OutputReply::Part()).bytes;
    *next.outputFrom += output.size();
    *next.errorFrom += error.size();
    Q_EMIT grew(request, output, error);
    co_return true;
}

} // namespace drover::gui
