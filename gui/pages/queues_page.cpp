#include "gui/pages/queues_page.h"

#include "gui/models/queue_history.h"
#include "gui/models/queue_table.h"
#include "gui/pages/depth_chart.h"
#include "gui/shell/gateway.h"
#include "gui/text/format.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/verb_row.h"

#include <QAction>
#include <QBoxLayout>
#include <QItemSelectionModel>

namespace drover::gui {

QueuesPage::QueuesPage(const QueueHistory &history, const QueueLoads &loads, QueueTable &queues,
                       ActionRegistry &actions)
    : TablePage(QStringLiteral("queues"), tr("Queues"), new TableView(&queues, QueueTable::Queue), actions),
      m_history(history), m_queues(queues), m_chart(new DepthChart(history, loads)),
      m_pause(new QAction(tr("&Pause…"), this)), m_resume(new QAction(tr("&Resume"), this)),
      m_limit(new QAction(tr("&Limit…"), this))
{
    QHBoxLayout *const bar = layOut(tr("Filter queues"), m_chart);
    auto *const verbs = new VerbRow;
    verbs->add(m_pause, {}, tr("Select queues that are not paused"));
    verbs->add(m_resume, {}, tr("Select paused queues"));
    verbs->add(m_limit, {}, tr("Select a queue"));
    bar->addWidget(verbs);
    static_cast<QBoxLayout *>(layout())->setStretchFactor(m_chart, 1);
    m_chart->setFocusPolicy(Qt::StrongFocus);
    table().setAccessibleName(tr("Queues"));
    table().setColumnWidths({22, 12, 9, 10, 10, 14, 14, 16, 9, 0});
    table().setSpareColumns({QueueTable::Limit, QueueTable::Unfinished, QueueTable::Came, QueueTable::Left});
    connect(&m_clock, &QTimer::timeout, &queues, &QueueTable::refresh);
    m_clock.setInterval(std::chrono::seconds(1));
    showEntities(EntityRef::Kind::Queue, &table());
    inspectOnActivation();
    addVerbs();
    connect(&history, &QueueHistory::sampled, this, &QueuesPage::count);
}

void QueuesPage::addVerbs()
{
    m_pause->setToolTip(tr("No more jobs of the queue begin"));
    addVerb("queue.pause", m_pause, {}, Gateway::toOperate());
    m_limit->setToolTip(tr("How many of its jobs may run at a time"));
    addVerb("queue.resume", m_resume, {}, Gateway::toOperate());
    addVerb("queue.limit", m_limit, {}, Gateway::toOperate());
    connect(m_pause, &QAction::triggered, this, [this] { Q_EMIT pauseWanted(selected(false)); });
    connect(m_resume, &QAction::triggered, this, [this] { Q_EMIT resumeWanted(selected(true)); });
    connect(m_limit, &QAction::triggered, this, [this] { Q_EMIT limitWanted(current()->name); });
    connect(table().selectionModel(), &QItemSelectionModel::selectionChanged, this, &QueuesPage::updateVerbs);
    connect(&m_queues, &QAbstractItemModel::dataChanged, this, &QueuesPage::updateVerbs);
    updateVerbs();
}

QByteArrayList QueuesPage::selected(bool paused) const
{
    QByteArrayList queues;
    for (const int row : selectedRows()) {
        if (m_queues.row(row).paused.isEmpty() != paused)
            queues.append(m_queues.row(row).name);
    }
    return queues;
}

const QueueDepth *QueuesPage::current() const
{
    const int row = selectedRow();
    return row < 0 ? nullptr : &m_queues.row(row);
}

void QueuesPage::updateVerbs()
{
    offer(m_pause, selected(false).size(), Things::Queues, tr("&Pause…"), tr("&Pause %1…", "queues"));
    offer(m_resume, selected(true).size(), Things::Queues, tr("&Resume"), tr("&Resume %1", "queues"));
    m_limit->setEnabled(current());
}

void QueuesPage::count()
{
    qint64 paused = 0;
    for (const auto &[queue, depths] : m_history.series())
        paused += m_history.now(queue).paused.isEmpty() ? 0 : 1;
    const auto all = qint64(m_history.series().size());
    if (paused > 0)
        setBadge({shortCount(paused), counted(paused, Things::PausedQueues), Tone::Waiting});
    else
        setBadge({all > 0 ? shortCount(all) : QString(), counted(all, Things::Queues), Tone::Muted});
}

void QueuesPage::activate()
{
    TablePage::activate();
    m_clock.start();
}

void QueuesPage::deactivate()
{
    TablePage::deactivate();
    m_clock.stop();
}

QString QueuesPage::whenEmpty(const ConnectionState &) const
{
    return tr("No queues yet.\nThe first worker makes one.");
}

void QueuesPage::showState(const ConnectionState &state)
{
    TablePage::showState(state);
    const QString why = state.whyNothing();
    m_chart->sayWhenEmpty(why.isEmpty() ? whenEmpty(state) : why);
    m_chart->setStale(state.asOf);
}

} // namespace drover::gui
