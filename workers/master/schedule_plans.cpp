#include "workers/master/schedule_plans.h"

#include "jobs/cluster/read_nodes.h"
#include "text/name.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::CronSchedule;
using jobs::ScheduleEntry;
using jobs::StoredSchedule;
using recipes::TreeWatch;

Q_LOGGING_CATEGORY(lcSchedulePlans, "drover.workers.schedule_plans")

namespace {

constexpr auto Glance = 1s; // the clock may be set at any time
constexpr auto Retry = 1s;
const QString NumberOfSchedules = QStringLiteral("number of schedules");

} // namespace

SchedulePlans::SchedulePlans(jobs::Cluster cluster, Troubles &troubles, const zk::ServerClock *clock)
    : m_cluster(std::move(cluster)), m_troubles(troubles), m_clock(clock),
      m_schedules(
          m_cluster.layout.schedules(), 1, [this](const TreeWatch::Change &change) { onChange(change); },
          [this](const QByteArrayList &names) { return select(names); })
{
}

QByteArrayList SchedulePlans::select(const QByteArrayList &names)
{
    QByteArrayList followed;
    QByteArrayList others;
    for (const QByteArray &name : names) {
        if (m_plans.contains(name))
            followed.append(name);
        else if (text::isLockName(QString::fromUtf8(name)))
            others.append(name);
    }
    const qsizetype room = std::max<qsizetype>(0, jobs::MaxSchedules - followed.size());
    if (others.size() > room)
        m_troubles.note(NumberOfSchedules,
                        QStringLiteral("there are more than %1: the others are not run; delete what does not "
                                       "belong below %2")
                            .arg(jobs::MaxSchedules)
                            .arg(m_cluster.layout.schedules().toString()));
    else
        m_troubles.clear(NumberOfSchedules);
    std::sort(others.begin(), others.end());
    return followed + others.first(std::min(others.size(), room));
}

void SchedulePlans::onChange(const TreeWatch::Change &change)
{
    if (change.path.parent() != m_cluster.layout.schedules())
        return; // the directory itself
    if (change.kind == TreeWatch::Change::Kind::Removed)
        m_plans.erase(change.path.name());
    else if (change.kind != TreeWatch::Change::Kind::Initialized)
        take(jobs::readSchedule(change.path.name(), change.node));
}

void SchedulePlans::take(const StoredSchedule &stored)
{
    Plan &plan = m_plans[stored.name];
    plan.next = stored.entry ? stored.entry->nextTick() : CronSchedule::Never;
    plan.lastTick = stored.entry && !stored.entry->paused ? stored.entry->lastTick : Instant();
    if (!stored.malformed.isEmpty() && stored.malformed != plan.trouble)
        qCWarning(lcSchedulePlans, "schedule %s is malformed: %s", stored.name.constData(),
                  qPrintable(stored.malformed));
    plan.trouble = stored.malformed;
}

std::vector<QByteArray> SchedulePlans::due() const
{
    const Instant now = m_cluster.zk.loop().wallClock();
    std::vector<QByteArray> names;
    if (!hasGoodClock())
        return names;
    for (const auto &[name, plan] : m_plans) {
        const bool isDue = plan.next <= now || plan.lastTick > now + ScheduleEntry::ClockError;
        if (isDue && plan.notBefore <= m_cluster.zk.loop().now() && names.size() < jobs::Flight)
            names.push_back(name);
    }
    return names;
}

async::Duration SchedulePlans::untilNext() const
{
    const Instant now = m_cluster.zk.loop().wallClock();
    async::Duration wait = Glance;
    for (const auto &[name, plan] : m_plans) {
        if (hasGoodClock() && plan.next < now + Glance)
            wait =
                std::min(wait, std::max<async::Duration>(plan.next - now, plan.notBefore - m_cluster.zk.loop().now()));
    }
    return std::max(wait, async::Duration::zero());
}

void SchedulePlans::noteTrouble(const QByteArray &name, const QString &trouble)
{
    const auto found = m_plans.find(name);
    if (found == m_plans.end())
        return;
    Plan &plan = found->second;
    if (trouble != plan.trouble)
        qCWarning(lcSchedulePlans, "schedule %s cannot be carried out: %s", name.constData(), qPrintable(trouble));
    plan.trouble = trouble;
    plan.notBefore = m_cluster.zk.loop().now() + Retry;
}

} // namespace drover::workers
