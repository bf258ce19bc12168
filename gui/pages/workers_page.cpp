#include "gui/pages/workers_page.h"

#include "gui/models/worker_model.h"
#include "gui/text/format.h"
#include "gui/widgets/table_view.h"
#include "text/quantity.h"

#include <QSettings>
#include <QVBoxLayout>

namespace drover::gui {

WorkersPage::WorkersPage(WorkerModel &model)
    : Page(QStringLiteral("workers"), tr("Workers")), m_model(model),
      m_table(new TableView(&model, WorkerModel::Worker))
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_table);
    m_table->setAccessibleName(tr("Workers"));
    m_table->setColumnWidths({22, 12, 13, 0, 10, 8});
    m_table->setSpareColumns({WorkerModel::Pid, WorkerModel::Since, WorkerModel::Queues});
    m_table->setAwake(false);
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

void WorkersPage::showState(const ConnectionState &state)
{
    const QString why = state.whyNothing();
    m_table->say(why.isEmpty() ? tr("No workers.\nStart one: %1")
                                     .arg(state.commandFor({QStringLiteral("drover"), QStringLiteral("worker")}))
                               : why);
    m_table->setStale(state.isStale());
}

void WorkersPage::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("columns/workers"), m_table->saveColumns());
}

void WorkersPage::restoreFrom(const QSettings &settings)
{
    m_table->restoreColumns(settings.value(QStringLiteral("columns/workers")).toByteArray());
}

QWidget *WorkersPage::mainPart() const
{
    return m_table;
}

void WorkersPage::activate()
{
    m_table->setAwake(true);
}

void WorkersPage::deactivate()
{
    m_table->setAwake(false);
}

} // namespace drover::gui
