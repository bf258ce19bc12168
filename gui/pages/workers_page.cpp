#include "gui/pages/workers_page.h"

#include "gui/models/worker_model.h"
#include "gui/pages/worker_timeline.h"
#include "gui/shell/gateway.h"
#include "gui/text/format.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/verb_row.h"
#include "text/quantity.h"

#include <QAction>
#include <QBoxLayout>
#include <QItemSelectionModel>

namespace drover::gui {

WorkersPage::WorkersPage(WorkerModel &model, const AttemptLog &attempts, ActionRegistry &actions)
    : TablePage(QStringLiteral("workers"), tr("Workers"), new TableView(&model, WorkerModel::Worker), actions),
      m_model(model), m_timeline(new WorkerTimeline(model, attempts)), m_cordon(new QAction(tr("&Cordon…"), this)),
      m_uncordon(new QAction(tr("&Uncordon"), this)), m_drain(new QAction(tr("&Drain…"), this)),
      m_stepDown(new QAction(tr("Depose the &master…"), this))
{
    m_bar = layOut(tr("Filter workers"), m_timeline);
    static_cast<QBoxLayout *>(layout())->setStretchFactor(m_timeline, 1);
    connect(m_timeline, &WorkerTimeline::chosen, this, [this](const QString &worker) {
        select({EntityRef::Kind::Worker, worker.toUtf8()});
    });
    table().setAccessibleName(tr("Workers"));
    table().setColumnWidths({28, 20, 20, 0, 16, 10, 16, 13, 8});
    table().setSpareColumns(
        {WorkerModel::Pid, WorkerModel::Since, WorkerModel::Labels, WorkerModel::Memory, WorkerModel::Host});
    showEntities(EntityRef::Kind::Worker, &table());
    inspectOnActivation();
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&model, signal, this, &WorkersPage::count);
    connect(&model, &QAbstractItemModel::dataChanged, this, &WorkersPage::count);
    addVerbs();
    count();
}

void WorkersPage::addVerbs()
{
    m_cordon->setToolTip(tr("The worker claims no more jobs"));
    m_drain->setToolTip(tr("Cordons the worker, and says when it runs nothing any more"));
    addVerb("worker.cordon", m_cordon, {}, Gateway::toOperate());
    addVerb("worker.uncordon", m_uncordon, {}, Gateway::toOperate());
    addVerb("worker.drain", m_drain, {}, Gateway::toOperate());
    m_stepDown->setToolTip(tr("The master is deposed, and the next in line is elected"));
    addVerb("worker.depose", m_stepDown, {}, Gateway::toOperate());
    auto *const launch = new QAction(tr("&Launch workers…"), this);
    launch->setToolTip(tr("Starts, stops or upgrades workers here, or on other machines by ssh"));
    addVerb("worker.launch", launch, {}, trust::Need{.role = trust::Role::Viewer});
    connect(launch, &QAction::triggered, this, &WorkersPage::launchWanted);
    auto *const verbs = new VerbRow;
    verbs->add(m_cordon, {}, tr("Select workers that are not cordoned"));
    verbs->add(m_uncordon, {}, tr("Select cordoned workers"));
    verbs->add(m_drain, {}, tr("Select workers"));
    m_bar->addWidget(verbs);
    m_bar->addWidget(new ActionButton(launch));
    connect(m_stepDown, &QAction::triggered, this, &WorkersPage::stepDownWanted);
    connect(m_cordon, &QAction::triggered, this, [this] { Q_EMIT cordonWanted(selected(false), false); });
    connect(m_drain, &QAction::triggered, this,
            [this] { Q_EMIT cordonWanted(selected(false) + selected(true), true); });
    connect(m_uncordon, &QAction::triggered, this, [this] { Q_EMIT uncordonWanted(selected(true)); });
    connect(table().selectionModel(), &QItemSelectionModel::selectionChanged, this, &WorkersPage::updateVerbs);
    connect(&m_model, &QAbstractItemModel::dataChanged, this, &WorkersPage::updateVerbs);
    updateVerbs();
}

QByteArrayList WorkersPage::selected(bool cordoned) const
{
    QByteArrayList workers;
    for (const int row : selectedRows()) {
        if (WorkerModel::isCordoned(m_model.row(row)) == cordoned)
            workers.append(m_model.row(row).id);
    }
    return workers;
}

void WorkersPage::updateVerbs()
{
    const qsizetype free = selected(false).size();
    const qsizetype cordoned = selected(true).size();
    offer(m_cordon, free, Things::Workers, tr("&Cordon…"), tr("&Cordon %1…", "workers"));
    offer(m_uncordon, cordoned, Things::Workers, tr("&Uncordon"), tr("&Uncordon %1", "workers"));
    offer(m_drain, free + cordoned, Things::Workers, tr("&Drain…"), tr("&Drain %1…", "workers"));
}

void WorkersPage::count()
{
    table().showColumn(WorkerModel::Labels, m_model.hasLabels());
    m_stepDown->setEnabled(m_model.master());
    qint64 inTrouble = 0;
    const int all = m_model.rowCount();
    for (int row = 0; row < all; ++row) {
        const WorkerRow &worker = m_model.row(row);
        inTrouble += worker.malformed.isEmpty() && worker.info.trouble.isEmpty() ? 0 : 1;
    }
    if (inTrouble > 0)
        setBadge({shortCount(inTrouble), tr("%1 in trouble").arg(text::formatCount(inTrouble)), Tone::Bad});
    else
        setBadge({all > 0 ? shortCount(all) : QString(), counted(all, Things::Workers), Tone::Muted});
}

void WorkersPage::showState(const ConnectionState &state)
{
    TablePage::showState(state);
    m_timeline->setStale(state.asOf);
}

QString WorkersPage::whenEmpty(const ConnectionState &state) const
{
    return tr("No workers.\nStart some with “Launch workers…”, or in a terminal: %1")
        .arg(state.commandFor({QStringLiteral("drover"), QStringLiteral("worker")}));
}

} // namespace drover::gui
