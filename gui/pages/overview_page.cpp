#include "gui/pages/overview_page.h"

#include "gui/kit/slot_map.h"
#include "gui/models/job_model.h"
#include "gui/models/lock_model.h"
#include "gui/models/queue_history.h"
#include "gui/models/worker_model.h"
#include "gui/pages/load_chart.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/tile.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QGridLayout>
#include <QResizeEvent>

namespace drover::gui {

using jobs::JobState;
using namespace std::chrono_literals;

namespace {

constexpr int UnseenMinutes = 5; // between two looks of the doctor, for the badge, while the page is not seen

// Two charts, one above the other, or the first alone where there is no room for both.
class Pair final : public QWidget
{
public:
    Pair(QWidget *first, QWidget *second) : m_second(second)
    {
        auto *const column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(2);
        column->addWidget(first, 3);
        column->addWidget(second, 2);
        setFocusPolicy(Qt::ClickFocus); // both take their clicks for themselves
        setFocusProxy(first);
    }

protected:
    void resizeEvent(QResizeEvent *event) override
    {
        constexpr int Enough = 260; // pixels
        m_second->setVisible(event->size().height() >= Enough);
    }

private:
    QWidget *m_second;
};

} // namespace

OverviewPage::OverviewPage(const JobModel &jobs, const QueueHistory &queues, const LoadHistory &load,
                           const WorkerModel &workers, const LockModel &locks)
    : Page(QStringLiteral("overview"), tr("Overview")), m_jobs(jobs), m_history(queues), m_workerModel(workers),
      m_lockModel(locks), m_depth(new LoadChart(LoadChart::Kind::Depth, load)),
      m_throughput(new LoadChart(LoadChart::Kind::Throughput, load)), m_slots(new SlotMap(workers))
{
    for (const JobState state : {JobState::Running, JobState::Ready, JobState::Waiting, JobState::Held})
        m_states.push_back(addStates(jobStateText(state), {state}));
    m_states.push_back(addStates(tr("Ended"), {JobState::Succeeded, JobState::Failed, JobState::Cancelled}));
    m_failed = addStates(jobStateText(JobState::Failed), {JobState::Failed},
                         QStringLiteral("since:%1h").arg(FailedFor.count()));
    m_queues = leadTo(QStringLiteral("queues"), tr("Queues"), new Pair(m_depth, m_throughput));
    m_depth->moveWith(*m_throughput);
    m_workers = leadTo(QStringLiteral("workers"), tr("Slots in use"), m_slots);
    m_master = leadTo(QStringLiteral("workers"), tr("Master"));
    m_locks = leadTo(QStringLiteral("locks"), tr("Locks"));
    m_doctor = new Tile(tr("Doctor"));
    showFindings(tr("Not checked"), {}, Tone::Muted);
    connect(m_doctor, &Tile::clicked, this, &OverviewPage::findingsWanted);
    m_nextLook.setInterval(1min);
    connect(&m_nextLook, &QTimer::timeout, this, &OverviewPage::askDoctor);
    m_nextLook.start();
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
    auto *const counts = new QHBoxLayout; // of equal width
    counts->setSpacing(12);
    for (Tile *const tile : m_states)
        counts->addWidget(tile, 1);
    counts->addWidget(m_failed, 1);
    grid->addLayout(counts, 0, 0, 1, 10);
    grid->addWidget(m_queues, 1, 0, 3, 6);
    grid->addWidget(m_workers, 1, 6, 1, 4);
    grid->addWidget(m_doctor, 2, 6, 1, 4);
    grid->addWidget(m_master, 3, 6, 1, 2);
    grid->addWidget(m_locks, 3, 8, 1, 2);
    grid->setRowStretch(1, 1);
    for (int i = 0; i < 10; ++i)
        grid->setColumnStretch(i, 1);
}

Tile *OverviewPage::addStates(const QString &title, const std::set<JobState> &states, const QString &filter)
{
    auto *const tile = new Tile(title);
    connect(tile, &Tile::clicked, this, [this, states, filter] { Q_EMIT jobsWanted({filter, states}); });
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
    askDoctor();
}

void OverviewPage::askDoctor()
{
    if (!m_connected || (!isAwake() && ++m_unseenMinutes < UnseenMinutes))
        return;
    m_unseenMinutes = 0;
    Q_EMIT doctorWanted();
}

void OverviewPage::showFindings(const QString &value, const QString &remark, Tone tone)
{
    m_doctor->show(value, remark, tone);
    const bool isBad = tone == Tone::Bad;
    setBadge({isBad ? QStringLiteral("!") : QString(), isBad ? value : QString(), tone});
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
    m_failed->show(text::formatCount(jobs.failedLately), tr("in 24 hours"),
                   jobs.failedLately > 0 ? Tone::Bad : Tone::Muted);
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
                   paused > 0 ? tr("%1 paused").arg(text::formatCount(paused)) : tr("none paused"),
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
                       tr("token %1\nsince %2").arg(master->masterToken).arg(formatSince(master->masterSince)));
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
    m_depth->sayWhenEmpty(why.isEmpty() ? tr("The first numbers come in a moment.") : why);
    for (LoadChart *const chart : {m_depth, m_throughput})
        chart->setStale(state.asOf);
    m_slots->setStale(state.isStale());
    const QList<Tile *> tiles = findChildren<Tile *>();
    for (Tile *const tile : tiles)
        tile->setStale(!state.isConnected());
    if (std::exchange(m_connected, state.isConnected()) != m_connected)
        askDoctor();
}

QWidget *OverviewPage::mainPart() const
{
    return m_states.front();
}

} // namespace drover::gui
