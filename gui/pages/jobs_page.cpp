#include "gui/pages/jobs_page.h"

#include "gui/models/job_model.h"
#include "gui/models/job_verbs.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/gateway.h"
#include "gui/text/format.h"
#include "gui/views/group_menu.h"
#include "gui/views/job_scroll.h"
#include "gui/views/view_button.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_actions.h"
#include "gui/widgets/table_view.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QAction>
#include <QMenu>
#include <QSettings>
#include <QVBoxLayout>

namespace drover::gui {

JobsPage::JobsPage(JobModel &model, JobPane *pane, ActionRegistry &actions, SavedViews &views)
    : TablePage(QStringLiteral("jobs"), tr("Jobs"), &pane->table(), actions), m_model(model), m_pane(pane),
      m_views(new ViewButton(*pane, views))
{
    new JobScroll(*m_pane, model, this);
    auto *const notice = new Notice;
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(notice);
    column->addWidget(m_pane);
    m_pane->offerViews(m_views);
    connect(m_views, &ViewButton::said, notice, &Notice::say);
    showEntities(EntityRef::Kind::Job, &m_pane->table());
    connect(&model, &JobModel::shown, this, &JobsPage::count);
    connect(m_pane, &JobPane::detailsWanted, this, [this](const jobs::JobId &job) {
        Q_EMIT inspectWanted({EntityRef::Kind::Job, job.bytes()});
    });

    addVerb("job.details", m_pane->detailsAction(), Qt::CTRL | Qt::Key_D);
    addVerb("job.repeat", m_pane->repeatAction(), Qt::CTRL | Qt::SHIFT | Qt::Key_N, Gateway::toSubmit());
    addVerb("job.repeat-failed", m_pane->repeatFailedAction(), Qt::CTRL | Qt::SHIFT | Qt::Key_R, Gateway::toSubmit());
    addVerb("job.fold", m_pane->foldAction());
    for (const auto &[kind, action] : m_pane->verbs()) {
        const QKeySequence key = kind == JobVerb::Kind::Cancel ? Qt::CTRL | Qt::Key_Delete : QKeySequence();
        addVerb(qPrintable(QStringLiteral("job.") + QLatin1String(nameOf(kind))), action, key, Gateway::toDo(kind));
    }
    for (const auto &[kind, action] : m_pane->verbsOnAll())
        actions.add(qPrintable(QStringLiteral("job.%1-all").arg(QLatin1String(nameOf(kind)))), action, {}, this,
                    Gateway::toDo(kind));
    actions.add("job.repeat-all", m_pane->repeatAllAction(), {}, this, Gateway::toSubmit());
    table().actionsOnRows().addVerb(m_pane->menuOnAll()->menuAction());
    table().setFocus();
    m_pane->offerSubmit(actions.find(QStringLiteral("job.submit")));
    auto *const filter = new QAction(lineIcon(QStringLiteral("search")), tr("&Filter jobs"), this);
    connect(filter, &QAction::triggered, m_pane, &JobPane::focusFilter);
    actions.add("job.filter", filter, QKeySequence::Find, this);
    addViews(actions);
}

// They change nothing in the cluster.
void JobsPage::addViews(ActionRegistry &actions)
{
    for (const ViewButton::Verb &verb : m_views->verbs())
        actions.add(verb.name, verb.action, {}, this);
    const QList<QAction *> groups = m_views->groups().actions();
    for (QAction *const action : groups) {
        if (!action->isSeparator())
            actions.add(qPrintable(action->objectName()), action, {}, this);
    }
    const auto addEach = [this, &actions] {
        for (QAction *const action : m_views->ofViews())
            actions.add(qPrintable(action->objectName()), action, {}, this);
    };
    connect(m_views, &ViewButton::listed, this, addEach);
    addEach();
}

void JobsPage::showState(const ConnectionState &state)
{
    TablePage::showState(state);
    m_views->setTarget(state.session.target);
}

void JobsPage::count()
{
    const JobsSnapshot &jobs = m_model.snapshot();
    const qint64 unfinished = jobs.total() - jobs.ended;
    setBadge({unfinished > 0 ? shortCount(unfinished) : QString(),
              unfinished > 0 ? tr("%1 unfinished").arg(text::formatCount(unfinished)) : QString(),
              jobs.running > 0 ? Tone::Busy : Tone::Muted});
}

// A job that has no row is searched: the table holds the newest alone, and the filter may leave it out.
void JobsPage::select(const EntityRef &entity)
{
    Page::select(entity);
    const std::optional<jobs::JobId> job = jobs::JobId::parse(QString::fromLatin1(entity.name));
    if (job && selection() != entity)
        m_pane->find(*job);
}

QString JobsPage::whenEmpty(const ConnectionState &state) const
{
    if (!state.clusterExists)
        return tr("Cluster “%1” does not exist here yet.\nThe first worker makes it: %2")
            .arg(text::printable(state.session.target.cluster),
                 state.commandFor({QStringLiteral("drover"), QStringLiteral("worker")}));
    return tr("No jobs yet.\nSubmit one with “Submit a job…” (Ctrl+N).");
}

void JobsPage::saveTo(QSettings &settings) const
{
    TablePage::saveTo(settings);
    m_pane->saveFilter(settings);
    settings.setValue(QStringLiteral("filter/view"), m_views->chosen());
}

void JobsPage::restoreFilter(const QSettings &settings)
{
    m_pane->restoreFilter(settings);
    m_views->setChosen(settings.value(QStringLiteral("filter/view")).toString());
}

} // namespace drover::gui
