#include "jobs/explain/reasons.h"
#include "text/quantity.h"

#include <algorithm>

namespace drover::jobs {

namespace {

// What the labels of the workers of its queue leave to be wished.
std::optional<Reason> whyNoLabels(const WorkerPool::Chosen &workers, const QString &queue, const QStringList &labels)
{
    for (const QString &label : labels) {
        if (std::ranges::none_of(workers, [&](const auto *member) { return member->info.labels.contains(label); }))
            return Reason{QStringLiteral("no worker of queue %1 has the label %2").arg(queue, label),
                          QStringLiteral("start one: drover worker --queue %1 --label %2").arg(queue, label)};
    }
    if (std::ranges::none_of(workers, [&](const auto *member) { return member->hasLabels(labels); }))
        return Reason{QStringLiteral("no worker has all the labels %1").arg(labels.join(QStringLiteral(", ")))};
    return std::nullopt;
}

std::optional<Reason> whyTooLarge(const WorkerPool::Chosen &workers, const Needs &needs)
{
    int mostSlots = 0;
    qint64 mostMemory = 0;
    for (const WorkerPool::Member *member : workers) {
        if (member->isLargeEnough(needs))
            return std::nullopt;
        mostSlots = std::max(mostSlots, member->info.slotCount);
        mostMemory = std::max(mostMemory, member->info.memory);
    }
    if (needs.slots > mostSlots)
        return Reason{QStringLiteral("it needs %1, the largest worker has %2")
                          .arg(text::formatCount(needs.slots, "slot", "slots"))
                          .arg(mostSlots)};
    if (needs.memory > mostMemory)
        return Reason{QStringLiteral("it needs %1 of memory, the largest worker has %2")
                          .arg(text::formatSize(needs.memory), text::formatSize(mostMemory))};
    return Reason{QStringLiteral("no worker has both its %1 and its %2 of memory")
                      .arg(text::formatCount(needs.slots, "slot", "slots"), text::formatSize(needs.memory))};
}

} // namespace

std::optional<Reason> whyUnfit(const WorkerPool &pool, const JobSpec &spec)
{
    if (pool.members.empty())
        return Reason{QStringLiteral("there is no worker"), QStringLiteral("start one: drover worker")};
    const QString queue = QString::fromUtf8(spec.queue);
    WorkerPool::Chosen ofQueue = pool.serving(spec.queue);
    if (ofQueue.empty())
        return Reason{QStringLiteral("no worker serves queue %1").arg(queue),
                      QStringLiteral("start one: drover worker --queue %1").arg(queue)};
    if (std::optional<Reason> labels = whyNoLabels(ofQueue, queue, spec.needs.labels))
        return labels;
    std::erase_if(ofQueue, [&](const WorkerPool::Member *member) { return !member->hasLabels(spec.needs.labels); });
    return whyTooLarge(ofQueue, spec.needs);
}

std::optional<Reason> whyNoWorker(const WorkerPool &pool, const JobSpec &spec)
{
    if (std::optional<Reason> unfit = whyUnfit(pool, spec))
        return unfit;
    if (!pool.fitFor(spec).empty())
        return std::nullopt;
    WorkerPool::Chosen cordoned;
    WorkerPool::Chosen troubled;
    for (const WorkerPool::Member *member : pool.suitedFor(spec))
        (member->cordon ? cordoned : troubled).push_back(member);
    if (!troubled.empty())
        return Reason{QStringLiteral("no machine of a worker that may run it can now; that of %1: %2")
                          .arg(troubled.back()->info.id, troubled.back()->info.trouble),
                      cordoned.empty()
                          ? QStringLiteral("mend that; it goes on by itself within a minute")
                          : QStringLiteral("mend that, or drover worker uncordon %1").arg(cordoned.back()->info.id)};
    const WorkerPool::Member *const last = cordoned.back();
    return Reason{QStringLiteral("every worker that could run it is cordoned; %1 by %2%3")
                      .arg(last->info.id, last->cordon->by,
                           last->cordon->why.isEmpty() ? QString() : QStringLiteral(": ") + last->cordon->why),
                  QStringLiteral("drover worker uncordon %1").arg(last->info.id)};
}

} // namespace drover::jobs
