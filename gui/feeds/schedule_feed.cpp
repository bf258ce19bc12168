#include "gui/feeds/schedule_feed.h"

#include "gui/subtree/pacing.h"
#include "jobs/client/prover.h"
#include "jobs/client/submitter.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

void ScheduleFeed::begin()
{
    RequestFeed::begin();
    spawn(followNames());
    spawn(publish());
}

void ScheduleFeed::end()
{
    RequestFeed::end();
    m_followed.clear();
    m_left = 0;
    m_dirty.reset();
}

void ScheduleFeed::clear()
{
    Q_EMIT changed({});
}

async::Task<void> ScheduleFeed::followNames()
{
    const auto show = [this](const Answer<zk::Children> &answer) { update(answer->names); };
    co_await followPaced(cluster().zk, cluster().layout.schedules(), m_watches, show);
}

void ScheduleFeed::update(QByteArrayList names)
{
    std::sort(names.begin(), names.end());
    if (names.size() > MaxSchedules && m_left == 0)
        Q_EMIT troubled(tr("Of the %1 schedules the first %2 are shown. In a terminal: drover cron ls shows all.")
                            .arg(names.size())
                            .arg(MaxSchedules));
    m_left = std::max<qsizetype>(0, names.size() - MaxSchedules);
    names = names.mid(0, MaxSchedules);
    std::erase_if(m_followed, [&](const auto &entry) { return !names.contains(entry.first); });
    for (const QByteArray &name : std::as_const(names)) {
        const auto [place, isNew] = m_followed.try_emplace(name);
        if (!isNew)
            continue;
        place->second.task = newGroup();
        place->second.task->spawn(follow(name, &place->second));
    }
    m_dirty.set();
}

async::Task<void> ScheduleFeed::follow(QByteArray name, Followed *followed)
{
    const auto show = [this, name, followed](const Answer<zk::Node> &node) {
        followed->row.reset();
        if (node.ok())
            followed->row = ScheduleRow{jobs::readSchedule(name, *node), node->data};
        m_dirty.set();
    };
    co_await followDataPaced(cluster().zk, cluster().layout.schedule(name), m_watches, show);
}

async::Task<void> ScheduleFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(cluster().zk.loop(), 100ms);
        m_dirty.reset();
        QList<ScheduleRow> rows;
        for (const auto &[name, followed] : m_followed) {
            if (followed.row)
                rows.append(*followed.row);
        }
        Q_EMIT changed(rows);
    }
}

void ScheduleFeed::add(int request, const QByteArray &name, const jobs::ScheduleEntry &entry)
{
    start(request, addTask(request, name, entry, false));
}

void ScheduleFeed::replace(int request, const QByteArray &name, const jobs::ScheduleEntry &entry)
{
    start(request, addTask(request, name, entry, true));
}

void ScheduleFeed::pause(int request, const QByteArray &name)
{
    start(request, change(request, name, jobs::pauseSchedule, tr("Paused %1.", "a schedule")));
}

void ScheduleFeed::resume(int request, const QByteArray &name)
{
    start(request, change(request, name, jobs::resumeSchedule, tr("Resumed %1.", "a schedule")));
}

void ScheduleFeed::remove(int request, const QByteArray &name)
{
    start(request, change(request, name, jobs::removeSchedule, tr("Removed %1.", "a schedule")));
}

void ScheduleFeed::run(int request, const QByteArray &name)
{
    start(request, runTask(request, name));
}

async::Task<void> ScheduleFeed::change(int request, QByteArray name, Change by, QString what)
{
    co_await by(cluster(), name);
    Q_EMIT done(request, what.arg(QString::fromUtf8(name)));
}

async::Task<void> ScheduleFeed::addTask(int request, QByteArray name, jobs::ScheduleEntry entry, bool replaces)
{
    jobs::noteSubmit(entry.job);
    entry.lastTick = entry.job.submittedAt;
    if (replaces)
        co_await jobs::replaceSchedule(cluster(), name, entry);
    else
        co_await jobs::addSchedule(cluster(), name, entry);
    const QString what = replaces ? tr("Changed %1.", "a schedule") : tr("Added %1.", "a schedule");
    Q_EMIT done(request, what.arg(QString::fromUtf8(name)));
}

async::Task<void> ScheduleFeed::runTask(int request, QByteArray name)
{
    const jobs::StoredSchedule stored = co_await jobs::findSchedule(cluster(), name);
    if (!stored.entry)
        throw jobs::WrongState(tr("schedule %1 is malformed: %2").arg(QString::fromUtf8(name), stored.malformed));
    jobs::Prover prover(cluster()); // who runs it signs it
    co_await prover.requireSchedule(stored);
    jobs::JobSpec job = stored.entry->job;
    jobs::noteSubmit(job);
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster());
    jobs::Submitter submitter(cluster(), config);
    const jobs::JobId id = co_await submitter.submit(job);
    Q_EMIT done(request, tr("Submitted %1.").arg(id.toString()));
}

} // namespace drover::gui
