#include "gui/feeds/output_feed.h"

#include "gui/output/whole_output.h"
#include "output/remote_output.h"

#include <algorithm>

namespace drover::gui {

namespace {

constexpr qint64 Shown = qint64(64) * 1024; // bytes of what was there before

} // namespace

int OutputFeed::watches() const
{
    const auto isRunning = [](const auto &item) { return item.second.task.has_value() && !item.second.over; };
    return static_cast<int>(std::count_if(m_following.begin(), m_following.end(), isRunning));
}

void OutputFeed::follow(int request, const jobs::JobId &id, int attempt, const QString &worker)
{
    stop(request);
    const auto tell = [this, request](const QByteArray &output, const QByteArray &error) {
        Q_EMIT grew(request, output, error);
    };
    output::AttemptReader reader(id, attempt, {.error = true, .lastBytes = Shown}, tell);
    const auto followed = m_following.try_emplace(request, std::move(reader), worker.toUtf8()).first;
    if (attached())
        start(request, followed->second);
    else
        Q_EMIT interrupted(request, tr("not connected"));
}

void OutputFeed::readWhole(int request, const jobs::FinalRecord &record)
{
    stop(request);
    Reading &reading = m_reading.try_emplace(request, record).first->second;
    if (attached())
        start(request, reading);
    else
        Q_EMIT wholeNotRead(request, tr("not connected"));
}

void OutputFeed::begin()
{
    for (auto &[request, reading] : m_reading) {
        if (!reading.over)
            start(request, reading);
    }
    for (auto &[request, followed] : m_following) {
        if (!followed.over)
            start(request, followed);
    }
}

void OutputFeed::start(int request, Followed &followed)
{
    followed.task.emplace([this, request](const std::exception_ptr &error) {
        try {
            std::rethrow_exception(error);
        } catch (const zk::SessionLost &) {
            // end() reports it
        } catch (...) {
            Q_EMIT interrupted(request, async::describe(error));
        }
    });
    followed.task->spawn(followTask(request, followed));
}

void OutputFeed::start(int request, Reading &reading)
{
    reading.task.emplace([this, request, &reading](const std::exception_ptr &error) {
        try {
            std::rethrow_exception(error);
        } catch (const zk::SessionLost &) {
            // end() reports it
        } catch (...) {
            reading.over = true;
            Q_EMIT wholeNotRead(request, async::describe(error));
        }
    });
    reading.task->spawn(readTask(request, reading));
}

void OutputFeed::end()
{
    for (auto &[request, reading] : m_reading) {
        reading.task.reset();
        if (!reading.over)
            Q_EMIT wholeNotRead(request, tr("the session has ended"));
    }
    for (auto &[request, followed] : m_following) {
        followed.task.reset();
        if (!followed.over)
            Q_EMIT interrupted(request, tr("the session has ended"));
    }
}

void OutputFeed::stop(int request)
{
    m_following.erase(request);
    m_reading.erase(request);
}

async::Task<void> OutputFeed::followTask(int request, Followed &followed)
{
    output::RemoteOutput source(cluster(), followed.worker);
    const output::AttemptReader::Interrupted tell = [this, request](const QString &why) {
        Q_EMIT interrupted(request, why);
    };
    try {
        co_await followed.reader.follow(cluster(), source, tell);
    } catch (const output::OutputLost &lost) {
        Q_EMIT interrupted(request, QString::fromUtf8(lost.what()));
    }
    followed.over = true;
    Q_EMIT ended(request);
}

async::Task<void> OutputFeed::readTask(int request, Reading &reading)
{
    const std::function<void(qint64)> tell = [this, request](qint64 bytes) { Q_EMIT readSoFar(request, bytes); };
    const std::shared_ptr<const OutputFile> file = co_await readWholeOutput(cluster(), reading.record, tell);
    reading.over = true;
    Q_EMIT wholeRead(request, file);
}

} // namespace drover::gui
