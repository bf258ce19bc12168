#include "gui/pages/workers_page.h"

#include "gui/models/worker_model.h"
#include "gui/text/format.h"
#include "gui/widgets/table_view.h"
#include "text/quantity.h"

namespace drover::gui {

WorkersPage::WorkersPage(WorkerModel &model, ActionRegistry &actions)
    : TablePage(QStringLiteral("workers"), tr("Workers"), new TableView(&model, WorkerModel::Worker), actions),
      m_model(model)
{
    layOut(tr("Filter workers"));
    table().setAccessibleName(tr("Workers"));
    table().setColumnWidths({22, 12, 13, 0, 10, 8});
    table().setSpareColumns({WorkerModel::Pid, WorkerModel::Since, WorkerModel::Queues});
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&model, signal, this, &WorkersPage::count);
    connect(&model, &QAbstractItemModel::dataChanged, this, &WorkersPage::count);
}

void WorkersPage::count()
{
    qint64 inTrouble = 0;
    const int all = m_model.rowCount();
    for (int row = 0; row < all; ++row) {
        const WorkerRow &worker = m_model.row(row);
        inTrouble += worker.malformed.isEmpty() && worker.info.trouble.isEmpty() ? 0 : 1;
    }
    if (inTrouble > 0)
        setBadge({shortCount(inTrouble), tr("%1 in trouble").arg(text::formatCount(inTrouble)), Tone::Bad});
    else
        setBadge({all > 0 ? shortCount(all) : QString(), text::formatCount(all, "worker", "workers"), Tone::Muted});
}

QString WorkersPage::whenEmpty(const ConnectionState &state) const
{
    return tr("No workers.\nStart one: %1").arg(state.commandFor({QStringLiteral("drover"), QStringLiteral("worker")}));
}

} // namespace drover::gui
