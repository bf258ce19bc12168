#include "app/commands/jobs/waiting_notice.h"

#include "jobs/explain/gang_view.h"
#include "jobs/explain/why.h"
#include "text/printable.h"

#include <QRegularExpression>

#include <algorithm>

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

QString reasonLine(const jobs::JobId &id, const jobs::Reason &reason)
{
    const QString advice = reason.advice.isEmpty() ? QString() : QStringLiteral("; ") + reason.advice;
    return text::printable(id.toString() + QStringLiteral(": ") + reason.what + advice);
}

void WaitingNotice::watch(const jobs::JobId &id)
{
    m_asking.cancelAll();
    m_asking.spawn(ask(id));
}

async::Task<void> WaitingNotice::warnIfUnfit(jobs::JobId id, jobs::JobSpec spec)
{
    if (spec.needs == jobs::Needs() && spec.gang == 0)
        co_return;
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

async::Task<void> WaitingNotice::ask(jobs::JobId id)
{
    constexpr async::Duration First = 2s;
    constexpr async::Duration Longest = 30s;
    for (async::Duration pause = First;; pause = std::min(Longest, 2 * pause)) {
        co_await async::sleepFor(m_context.loop(), pause);
        try {
            const jobs::Explanation now = co_await jobs::explain(m_cluster, id);
            if (jobs::isFinal(now.job.state))
                co_return;
            if (now.job.state != jobs::JobState::Running && !now.reasons.empty())
                tell(id, now.reasons.front());
        } catch (const zk::ConnectionLoss &) { // perhaps the next question is answered
        } catch (const std::exception &) {
            co_return;
        }
    }
}

void WaitingNotice::tell(const jobs::JobId &id, const jobs::Reason &reason)
{
    const QString kind = withoutNumbers(reason.what);
    if (kind == m_told)
        return;
    m_told = kind;
    Output::message(reasonLine(id, reason));
}

} // namespace drover::app
