#include "app/commands/jobs/waiting_notice.h"

#include "jobs/client/list_unfinished.h"
#include "jobs/cluster/members.h"
#include "jobs/explain/gang_view.h"
#include "jobs/explain/why.h"
#include "text/printable.h"

#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace drover::app {

using namespace std::chrono_literals;

QString withoutNumbers(const QString &reason)
{
    static const QRegularExpression numbers(QStringLiteral("\\b[0-9][\\w.,:]*"));
    static const QRegularExpression singular(QStringLiteral("\\b(is|has|does)\\b"));
    static const QRegularExpression plural(QStringLiteral("\\b(are|have|do)\\b"));
    static const QRegularExpression endings(QStringLiteral("s\\b"));
    return QString(reason).remove(numbers).remove(singular).remove(plural).remove(endings).simplified();
}

namespace {

// "default-42: no worker has label gpu; start one: drover worker --label gpu"
QString reasonLine(const jobs::JobId &id, const jobs::Reason &reason)
{
    const QString advice = reason.advice.isEmpty() ? QString() : QStringLiteral("; ") + reason.advice;
    return text::printable(id.toString() + QStringLiteral(": ") + reason.what + advice);
}

} // namespace

void WaitingNotice::watch(std::vector<jobs::JobId> ids)
{
    m_asking.cancelAll();
    m_asking.spawn(ask(std::move(ids)));
}

async::Task<void> WaitingNotice::warnIfUnfit(jobs::JobId id, jobs::JobSpec spec)
{
    try {
        const jobs::WorkerPool pool = co_await jobs::readWorkerPool(m_cluster);
        std::optional<jobs::Reason> reason = jobs::whyUnfit(pool, spec);
        if (!reason && spec.gang > 0)
            reason = co_await jobs::whyGangNeverBegins(m_cluster, spec, pool.available());
        if (reason)
            tell(id, *reason);
    } catch (const zk::Error &) { // the job is submitted, and that is all that was asked for
    }
}

namespace {

using Ids = std::vector<jobs::JobId>;

// In their order. Tasks that their arrays are still to make are left out.
async::Task<Ids> unfinishedOf(jobs::Cluster cluster, Ids ids)
{
    std::set<QByteArray> queues;
    for (const jobs::JobId &id : ids)
        queues.insert(id.queue);
    const std::vector<jobs::ListedJob> listed =
        co_await jobs::listUnfinished(cluster, QByteArrayList(queues.begin(), queues.end()));
    std::set<jobs::JobId> unfinished;
    for (const jobs::ListedJob &job : listed)
        unfinished.insert(job.id);
    std::erase_if(ids, [&](const jobs::JobId &id) { return !unfinished.contains(id); });
    co_return ids;
}

} // namespace

async::Task<void> WaitingNotice::ask(Ids ids)
{
    constexpr async::Duration First = 2s;
    constexpr async::Duration Longest = 30s;
    for (async::Duration pause = First;; pause = std::min(Longest, 2 * pause)) {
        co_await async::sleepFor(m_context.loop(), pause);
        try {
            const bool goesOn = co_await askOnce(ids);
            if (!goesOn)
                co_return;
        } catch (const zk::ConnectionLoss &) { // perhaps the next question is answered
        } catch (const std::exception &) {
            co_return;
        }
    }
}

// Returns false when the only one has ended.
async::Task<bool> WaitingNotice::askOnce(Ids ids)
{
    const std::size_t count = ids.size();
    if (count > 1) {
        Ids unfinished = co_await unfinishedOf(m_cluster, std::move(ids));
        ids = std::move(unfinished);
    }
    if (ids.empty())
        co_return true; // all have ended, or are tasks that are still to be made; the command that waits ends this
    const jobs::Explanation first = co_await jobs::explain(m_cluster, ids.front());
    if (jobs::isFinal(first.job.state))
        co_return count > 1;
    if (first.reasons.empty() || (first.job.state == jobs::JobState::Running && !first.job.progress))
        co_return true;
    if (count > 1 || first.job.progress) {
        const std::vector<jobs::StoredClaim> claims = co_await jobs::readClaims(m_cluster);
        const std::set<jobs::JobId> running = jobs::runningJobs(claims);
        if (std::any_of(ids.begin(), ids.end(), [&](const jobs::JobId &id) { return running.contains(id); }))
            co_return true;
    }
    const QString before = count > 1 ? QStringLiteral("%1 of %2 jobs wait; ").arg(ids.size()).arg(count) : QString();
    tell(ids.front(), first.reasons.front(), before);
    co_return true;
}

void WaitingNotice::tell(const jobs::JobId &id, const jobs::Reason &reason, const QString &before)
{
    const QString kind = withoutNumbers(reason.what);
    if (kind == m_told)
        return;
    m_told = kind;
    Output::message(before + reasonLine(id, reason));
}

} // namespace drover::app
