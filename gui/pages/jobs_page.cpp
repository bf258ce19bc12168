#include "gui/pages/jobs_page.h"

#include "gui/models/job_model.h"
#include "gui/shell/action_registry.h"
#include "gui/text/format.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QAction>
#include <QSettings>
#include <QVBoxLayout>

namespace drover::gui {

JobsPage::JobsPage(JobModel &model, ActionRegistry &actions)
    : Page(QStringLiteral("jobs"), tr("Jobs")), m_model(model), m_pane(new JobPane(model))
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_pane);
    m_pane->table().setAwake(false);
    connect(&model, &JobModel::shown, this, &JobsPage::count);

    m_pane->detailsAction()->setIcon(lineIcon(QStringLiteral("details")));
    m_pane->cancelAction()->setIcon(lineIcon(QStringLiteral("cancel")));
    m_pane->repeatAction()->setIcon(lineIcon(QStringLiteral("repeat")));
    actions.add("job.details", m_pane->detailsAction(), Qt::CTRL | Qt::Key_D, this);
    actions.add("job.cancel", m_pane->cancelAction(), Qt::CTRL | Qt::Key_Delete, this);
    actions.add("job.repeat", m_pane->repeatAction(), Qt::CTRL | Qt::SHIFT | Qt::Key_N, this);
    auto *const filter = new QAction(lineIcon(QStringLiteral("search")), tr("&Filter jobs"), this);
    connect(filter, &QAction::triggered, m_pane, &JobPane::focusFilter);
    actions.add("job.filter", filter, QKeySequence::Find, this);
}

void JobsPage::count()
{
    const JobsSnapshot &jobs = m_model.snapshot();
    const qint64 unfinished = jobs.total() - jobs.ended;
    setBadge({unfinished > 0 ? shortCount(unfinished) : QString(),
              unfinished > 0 ? tr("%1 unfinished").arg(text::formatCount(unfinished)) : QString(),
              jobs.running > 0 ? Tone::Busy : Tone::Muted});
}

void JobsPage::showState(const ConnectionState &state)
{
    QString whenEmpty = state.whyNothing();
    if (whenEmpty.isEmpty() && !state.clusterExists)
        whenEmpty = tr("Cluster “%1” does not exist here yet.\nThe first worker makes it: %2")
                        .arg(text::printable(state.session.target.cluster),
                             state.commandFor({QStringLiteral("drover"), QStringLiteral("worker")}));
    if (whenEmpty.isEmpty())
        whenEmpty = tr("No jobs yet.\nSubmit one with Ctrl+N.");
    m_pane->sayWhenEmpty(whenEmpty);
    m_pane->table().setStale(state.isStale());
}

void JobsPage::saveTo(QSettings &settings) const
{
    m_pane->saveFilter(settings);
    settings.setValue(QStringLiteral("columns/jobs"), m_pane->table().saveColumns());
}

void JobsPage::restoreFrom(const QSettings &settings)
{
    m_pane->restoreFilter(settings);
    m_pane->table().restoreColumns(settings.value(QStringLiteral("columns/jobs")).toByteArray());
}

QWidget *JobsPage::mainPart() const
{
    return &m_pane->table();
}

void JobsPage::activate()
{
    m_pane->table().setAwake(true);
}

void JobsPage::deactivate()
{
    m_pane->table().setAwake(false);
}

} // namespace drover::gui
