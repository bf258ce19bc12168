#include "gui/pages/overview_page.h"

#include "gui/models/job_model.h"
#include "gui/models/lock_model.h"
#include "gui/models/queue_history.h"
#include "gui/models/worker_model.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/depth_chart.h"
#include "gui/widgets/slot_map.h"
#include "gui/widgets/tile.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QGridLayout>

namespace drover::gui {

using jobs::JobState;

OverviewPage::OverviewPage(const JobModel &jobs, const QueueHistory &queues, const WorkerModel &workers,
                           const LockModel &locks)
    : Page(QStringLiteral("overview"), tr("Overview")), m_jobs(jobs), m_history(queues), m_workerModel(workers),
      m_lockModel(locks), m_chart(new DepthChart(queues)), m_slots(new SlotMap(workers))
{
    for (const JobState state : {JobState::Running, JobState::Ready, JobState::Waiting, JobState::Held})
        m_states.push_back(addStates(jobStateText(state), {state}));
    m_states.push_back(addStates(tr("Ended"), {JobState::Succeeded, JobState::Failed, JobState::Cancelled}));
    m_queues = leadTo(QStringLiteral("queues"), tr("Queues"), m_chart);
    m_workers = leadTo(QStringLiteral("workers"), tr("Slots in use"), m_slots);
    m_master = leadTo(QStringLiteral("workers"), tr("Master"));
    m_locks = leadTo(QStringLiteral("locks"), tr("Locks"));
    layOut();

    connect(&jobs, &JobModel::shown, this, &OverviewPage::countJobs);
    connect(&queues, &QueueHistory::sampled, this, &OverviewPage::countQueues);
    connect(&locks, &LockModel::deadlocksChanged, this, &OverviewPage::countLocks);
    const std::pair<const QAbstractItemModel *, void (OverviewPage::*)()> tables[] = {
        {&workers, &OverviewPage::countWorkers}, {&locks, &OverviewPage::countLocks}};
    for (const auto &[model, count] : tables) {
        connect(model, &QAbstractItemModel::rowsInserted, this, count);
        connect(model, &QAbstractItemModel::rowsRemoved, this, count);
        connect(model, &QAbstractItemModel::dataChanged, this, count);
    }
}

void OverviewPage::layOut()
{
    auto *const grid = new QGridLayout(this);
    grid->setContentsMargins(16, 16, 16, 16);
    grid->setSpacing(12);
    int column = 0;
    for (Tile *const tile : m_states) {
        grid->addWidget(tile, 0, column, 1, 2);
        column += 2;
    }
    grid->addWidget(m_queues, 1, 0, 2, 6);
    grid->addWidget(m_workers, 1, 6, 1, 4);
    grid->addWidget(m_master, 2, 6, 1, 2);
    grid->addWidget(m_locks, 2, 8, 1, 2);
    grid->setRowStretch(1, 1);
    for (int i = 0; i < column; ++i)
        grid->setColumnStretch(i, 1);
}

Tile *OverviewPage::addStates(const QString &title, const std::set<JobState> &states)
{
    auto *const tile = new Tile(title);
    connect(tile, &Tile::clicked, this, [this, states] { Q_EMIT jobsWanted(states); });
    return tile;
}

Tile *OverviewPage::leadTo(const QString &page, const QString &title, QWidget *picture)
{
    auto *const tile = new Tile(title, picture);
    connect(tile, &Tile::clicked, this, [this, page] { Q_EMIT pageWanted(page); });
    return tile;
}

void OverviewPage::activate()
{
    countJobs();
    countQueues();
    countWorkers();
    countLocks();
}

void OverviewPage::countJobs()
{
    if (!isAwake())
        return;
    const JobsSnapshot &jobs = m_jobs.snapshot();
    const qint64 counts[] = {jobs.running, jobs.ready, jobs.waiting, jobs.held, jobs.ended};
    for (std::size_t i = 0; i < m_states.size(); ++i)
        m_states[i]->show(text::formatCount(counts[i]), counts[i] == 1 ? tr("job") : tr("jobs"),
                          i == 0 && counts[i] > 0       ? Tone::Busy
                              : i >= 1 && counts[i] > 0 ? Tone::Plain
                                                        : Tone::Muted);
}

void OverviewPage::countQueues()
{
    if (!isAwake())
        return;
    qint64 paused = 0;
    for (const auto &[queue, depths] : m_history.series())
        paused += m_history.now(queue).paused.isEmpty() ? 0 : 1;
    const auto all = qint64(m_history.series().size());
    m_queues->show(counted(all, Things::Queues),
                   paused > 0 ? tr("%1 paused").arg(text::formatCount(paused)) : tr("Unfinished jobs in each"),
                   paused > 0 ? Tone::Waiting : Tone::Plain);
}

void OverviewPage::countWorkers()
{
    if (!isAwake())
        return;
    qint64 used = 0;
    qint64 all = 0;
    const WorkerRow *master = nullptr;
    for (int row = 0; row < m_workerModel.rowCount(); ++row) {
        const WorkerRow &worker = m_workerModel.row(row);
        used += m_workerModel.load(row).slotCount;
        all += worker.info.slotCount;
        master = worker.master ? &worker : master;
    }
    m_workers->show(tr("%1 of %2", "used, all").arg(text::formatCount(used), text::formatCount(all)),
                    counted(m_workerModel.rowCount(), Things::Workers), used > 0 ? Tone::Busy : Tone::Plain);
    if (master)
        m_master->show(text::printable(master->id),
                       tr("epoch %1, since %2").arg(master->epoch).arg(formatSince(master->masterSince)));
    else
        m_master->show(tr("None"), tr("A worker becomes it."), Tone::Waiting);
}

void OverviewPage::countLocks()
{
    if (!isAwake())
        return;
    qint64 waiters = 0;
    for (int row = 0; row < m_lockModel.rowCount(); ++row)
        waiters += m_lockModel.row(row).place > 0 ? 1 : 0;
    const qsizetype deadlocks = m_lockModel.deadlocks().size();
    if (deadlocks > 0)
        return m_locks->show(counted(deadlocks, Things::Deadlocks), m_lockModel.deadlocks().front().path(), Tone::Bad);
    m_locks->show(text::formatCount(m_lockModel.lockCount()),
                  waiters > 0 ? counted(waiters, Things::Waiters) : tr("none waits"));
}

void OverviewPage::showState(const ConnectionState &state)
{
    const QString why = state.whyNothing();
    m_chart->sayWhenEmpty(why.isEmpty() ? tr("No queues yet.\nThe first worker makes one.") : why);
    m_chart->setStale(state.asOf);
    m_slots->setStale(state.isStale());
    const QList<Tile *> tiles = findChildren<Tile *>();
    for (Tile *const tile : tiles)
        tile->setStale(!state.isConnected());
}

QWidget *OverviewPage::mainPart() const
{
    return m_states.front();
}

} // namespace drover::gui
