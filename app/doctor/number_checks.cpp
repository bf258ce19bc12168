#include "app/doctor/checks.h"
#include "jobs/cluster/limits.h"
#include "jobs/cluster/numbers.h"
#include "text/name.h"
#include "text/quantity.h"

#include <algorithm>

namespace drover::app {

using Level = Finding::Level;
using zk::Answer;

namespace {

// Nothing: there are enough left. `then`: what happens without them.
std::optional<Finding> aboutNumbers(const QString &subject, qint64 given, const char *then, const QString &advice)
{
    if (given < jobs::NumbersNearlyUsedUp)
        return std::nullopt;
    if (given >= zk::LastSequence)
        return Finding{Level::Problem, subject,
                       QStringLiteral("has given out all its numbers: %1").arg(QLatin1String(then)), advice};
    return Finding{Level::Warning, subject,
                   QStringLiteral("has given out %1 of its %2 numbers; without them %3")
                       .arg(text::formatCount(given), text::formatCount(zk::LastSequence), QLatin1String(then)),
                   advice};
}

async::Task<QByteArrayList> sortedChildren(jobs::Cluster cluster, zk::Path path)
{
    const Answer<zk::Children> children = co_await cluster.zk.children(path);
    QByteArrayList names = children.ok() ? children->names : QByteArrayList();
    std::sort(names.begin(), names.end());
    co_return names;
}

async::Task<std::optional<Finding>> aboutLimit(jobs::Cluster cluster, QByteArray limit, QString subject, QString advice)
{
    const qint64 given = co_await jobs::numbersOfLimit(cluster, limit);
    co_return aboutNumbers(subject, given, "jobs that need it wait", advice);
}

} // namespace

async::Task<void> findUsedUpNumbers(jobs::Cluster cluster, QByteArrayList queues, Findings &findings)
{
    const auto add = [&findings](const std::optional<Finding> &finding) {
        if (finding)
            findings.append(*finding);
    };
    for (const QByteArray &queue : queues) {
        const QString name = QString::fromUtf8(queue);
        const Answer<zk::Stat> stat = co_await cluster.zk.exists(cluster.layout.queue(queue));
        if (stat.ok())
            add(aboutNumbers(QStringLiteral("queue ") + name, jobs::numbersGiven(*stat), "submits are refused",
                             QStringLiteral("submit to another queue")));
        const std::optional<Finding> ofLimit =
            co_await aboutLimit(cluster, jobs::Layout::limitOfQueue(queue), QStringLiteral("limit of queue ") + name,
                                QStringLiteral("lift it: drover queue limit %1 none").arg(name));
        add(ofLimit);
    }
    const QByteArrayList limits = co_await sortedChildren(cluster, cluster.layout.limits());
    for (const QByteArray &limit : limits) {
        const QString name = QString::fromUtf8(limit);
        if (!text::isLockName(name))
            continue; // of a queue
        const std::optional<Finding> finding = co_await aboutLimit(
            cluster, limit, QStringLiteral("limit ") + name,
            QStringLiteral("when no job needs it, begin anew: drover limit set %1 none, and then drover "
                           "limit set %1 N")
                .arg(name));
        add(finding);
    }
    const QByteArrayList locks = co_await sortedChildren(cluster, cluster.layout.locks());
    for (const QByteArray &lock : locks) {
        const Answer<zk::Stat> stat = co_await cluster.zk.exists(cluster.layout.lock(lock));
        if (stat.ok())
            add(aboutNumbers(QStringLiteral("lock ") + QString::fromUtf8(lock), jobs::numbersGiven(*stat),
                             "jobs and commands that need it wait", QStringLiteral("use a lock of another name")));
    }
}

} // namespace drover::app
