#include "app/trust/waiting_work.h"

#include "app/cli/failure.h"
#include "app/cli/input_lines.h"
#include "app/cli/sentence.h"
#include "jobs/audit/actor_name.h"
#include "jobs/cluster/queue_settings.h"
#include "recipes/blocks/persistent.h"
#include "text/name.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <unistd.h>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration BetweenCounts = 200ms;

QString reason()
{
    return QStringLiteral("the cluster is being closed (drover cluster secure)");
}

// "3 jobs (of alice@host 2, of bob@host 1) and 1 schedule"
QString described(const jobs::UnsignedWork &work)
{
    QStringList shares;
    for (const auto &[submitter, count] : work.jobsOf)
        shares << QStringLiteral("of %1 %2")
                      .arg(submitter.isEmpty() ? QStringLiteral("an unknown person") : submitter,
                           text::formatCount(count));
    QString jobs = text::formatCount(work.jobs, "job", "jobs");
    if (!shares.isEmpty())
        jobs += QStringLiteral(" (%1)").arg(shares.join(QStringLiteral(", ")));
    const auto schedules = qint64(work.schedules.size());
    return schedules == 0
        ? jobs
        : QStringLiteral("%1 and %2").arg(jobs, text::formatCount(schedules, "schedule", "schedules"));
}

async::Task<bool> isAgreed(const Context &context, QString what)
{
    if (context.arguments().has("leave-unsigned"))
        co_return false;
    if (context.arguments().has("yes"))
        co_return true;
    if (!::isatty(STDIN_FILENO) || !::isatty(STDERR_FILENO))
        throw UsageError(
            QStringLiteral("%1 wait, and workers of a closed cluster refuse them; sign them with --yes, or say "
                           "--leave-unsigned")
                .arg(what));
    std::fprintf(stderr, "drover: %s wait; sign them, so that they run as yours? Otherwise they are refused. [y/N] ",
                 qPrintable(text::printable(what)));
    InputLines input(100);
    const std::optional<InputLines::Line> answer = co_await input.next();
    const QByteArray word = answer ? answer->text.trimmed().toLower() : QByteArray();
    co_return word == "y" || word == "yes";
}

async::Task<QByteArrayList> queuesOf(jobs::Cluster cluster)
{
    const zk::Answer<zk::Children> children =
        co_await recipes::Persistent(cluster.zk).children(cluster.layout.queues());
    QByteArrayList queues = children->names;
    queues.removeIf([](const QByteArray &queue) { return !text::isName(QString::fromUtf8(queue)); });
    co_return queues;
}

async::Task<void> awaitQuiet(jobs::Cluster cluster)
{
    bool isTold = false;
    for (;;) {
        const zk::Answer<zk::Children> claims =
            co_await recipes::Persistent(cluster.zk).children(cluster.layout.claims());
        if (claims->names.isEmpty())
            co_return;
        if (!std::exchange(isTold, true))
            Output::message(QStringLiteral("waiting for %1 to end; no other begins meanwhile. If you stop this, let "
                                           "the queues go on with drover queue resume")
                                .arg(text::formatCount(claims->names.size(), "running job", "running jobs")));
        co_await async::sleepFor(cluster.zk.loop(), BetweenCounts);
    }
}

} // namespace

async::Task<WaitingWork> WaitingWork::agreedOn(Context &context, jobs::Cluster cluster)
{
    jobs::UnsignedWork found = co_await jobs::findUnsigned(cluster);
    WaitingWork work(std::move(found));
    if (work.m_found.jobs == 0 && work.m_found.schedules.empty())
        co_return work;
    const bool agreed = co_await isAgreed(context, described(work.m_found));
    work.m_isAgreed = agreed;
    co_return work;
}

async::Task<void> WaitingWork::sign(jobs::Cluster cluster)
{
    if (!m_isAgreed)
        co_return;
    m_signedSchedules = co_await jobs::signSchedules(cluster, m_found); // first: they go on making jobs
    co_await pauseQueues(cluster);
    co_await awaitQuiet(cluster);
    m_signed = co_await jobs::signJobs(cluster, m_found);
}

async::Task<void> WaitingWork::pauseQueues(jobs::Cluster cluster)
{
    const QByteArrayList queues = co_await queuesOf(cluster);
    const std::chrono::milliseconds now = cluster.zk.loop().wallClock();
    const QString by = jobs::actorName(cluster);
    const std::function<void(jobs::QueueSettings &)> pause = [now, by](jobs::QueueSettings &settings) {
        if (settings.paused)
            return;
        settings.paused = true;
        settings.pausedBy = by;
        settings.why = reason();
        settings.pausedAt = now;
    };
    for (const QByteArray &queue : queues)
        co_await jobs::changeQueue(cluster, queue, pause);
}

// Also the queues that an interrupted call has paused.
async::Task<void> WaitingWork::resume(jobs::Cluster cluster) const
{
    const QByteArrayList queues = co_await queuesOf(cluster);
    const std::function<void(jobs::QueueSettings &)> resume = [](jobs::QueueSettings &settings) {
        const int limit = settings.limit;
        if (settings.why == reason())
            settings = {};
        settings.limit = limit;
    };
    for (const QByteArray &queue : queues)
        co_await jobs::changeQueue(cluster, queue, resume);
}

void WaitingWork::tell(const Context &context) const
{
    if (m_isAgreed && context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("%1 and %2 are signed as yours")
                          .arg(text::formatCount(m_signed.jobs, "waiting job", "waiting jobs"),
                               text::formatCount(m_signedSchedules, "schedule", "schedules")));
    const auto schedules = qint64(m_found.schedules.size());
    const qint64 refused = m_isAgreed ? m_signed.leftOut + schedules - m_signedSchedules : m_found.jobs + schedules;
    if (refused > 0)
        Output::message(QStringLiteral("%1 are not signed, and will be refused")
                            .arg(text::formatCount(refused, "job or schedule", "jobs and schedules")));
}

QList<QCommandLineOption> waitingWorkOptions()
{
    return {option("yes", "do not ask, and sign what waits"),
            option("leave-unsigned", "do not sign what waits: it is refused")};
}

} // namespace drover::app
