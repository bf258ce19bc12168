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

int OutputFeed::watches() const
{
    const auto isRunning = [](const auto &item) { return item.second.task.has_value() && !item.second.over; };
    return static_cast<int>(std::count_if(m_following.begin(), m_following.end(), isRunning));
}

void OutputFeed::follow(int request, const jobs::JobId &id, int attempt, const QString &worker)
{
    m_following.erase(request);
    Followed &followed = m_following[request];
    followed.next = {.id = id, .attempt = attempt};
    followed.worker = worker.toUtf8();
    if (attached())
        start(request, followed);
    else
        Q_EMIT interrupted(request, tr("not connected"));
}

void OutputFeed::begin()
{
    for (auto &[request, followed] : m_following) {
        if (!followed.over)
            start(request, followed);
    }
}

void OutputFeed::start(int request, Followed &followed)
{
    followed.task.emplace([](const std::exception_ptr &) {}); // the session has ended: whoever attached us knows
    followed.task->spawn(followTask(request, followed));
}

void OutputFeed::end()
{
    for (auto &[request, followed] : m_following) {
        followed.task.reset();
        if (!followed.over)
            Q_EMIT interrupted(request, tr("the session has ended"));
    }
}

void OutputFeed::stop(int request)
{
    m_following.erase(request);
}

async::Task<void> OutputFeed::followTask(int request, Followed &followed)
{
    output::RemoteOutput source(zk(), layout(), followed.worker);
    OutputRequest &next = followed.next;
    std::vector<async::Task<void>> parts;
    parts.push_back(output::untilAttemptEnds(zk(), layout(), next.id, next.attempt));
    parts.push_back(readForEver(request, source, next));
    co_await async::firstOf(zk().loop(), std::move(parts));
    try {
        if (!next.outputFrom)
            co_await findBeginning(source, next);
        next.wait = {};
        bool more = true;
        while (more)
            more = co_await readNext(request, source, next);
    } catch (const OutputLost &lost) {
        Q_EMIT interrupted(request, QString::fromUtf8(lost.what()));
    }
    followed.over = true;
    Q_EMIT ended(request);
}

async::Task<void> OutputFeed::readForEver(int request, output::OutputSource &source, OutputRequest &next)
{
    for (;;) {
        QString why;
        try {
            if (!next.outputFrom)
                co_await findBeginning(source, next);
            next.wait = OutputRequest::MaxWait;
            co_await readNext(request, source, next);
        } catch (const OutputLost &lost) {
            why = QString::fromUtf8(lost.what());
        }
        if (why.isEmpty())
            continue;
        Q_EMIT interrupted(request, why);
        co_await async::sleepFor(zk().loop(), RetryPause);
    }
}

async::Task<void> OutputFeed::findBeginning(output::OutputSource &source, OutputRequest &next)
{
    OutputRequest look = next;
    look.outputFrom = 0;
    look.errorFrom = 0;
    look.atMost = 0;
    const OutputReply there = co_await source.read(look);
    next.outputFrom = startOf(there.output);
    next.errorFrom = startOf(there.error);
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
