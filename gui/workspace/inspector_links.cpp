#include "gui/workspace/inspector_links.h"

#include "gui/inspector/entity_facts.h"
#include "gui/inspector/inspector.h"
#include "gui/inspector/job_panel.h"
#include "gui/models/job_verbs.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/connection_band.h"
#include "gui/shell/gateway.h"
#include "gui/shell/shell.h"
#include "gui/text/entity_text.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/plain_text.h"
#include "gui/workspace/cluster_commands.h"
#include "gui/workspace/connection_control.h"
#include "gui/workspace/console_models.h"
#include "gui/workspace/feed_needs.h"
#include "gui/workspace/job_details.h"
#include "gui/workspace/job_dialogs.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QShortcut>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

// The line of locks says what a job, a lock or a session holds and waits for.
bool needsLocks(EntityRef::Kind kind)
{
    return kind == EntityRef::Kind::Job || kind == EntityRef::Kind::Lock || kind == EntityRef::Kind::Session;
}

bool needsWorkers(EntityRef::Kind kind)
{
    return kind == EntityRef::Kind::Worker || kind == EntityRef::Kind::Queue;
}

} // namespace

InspectorLinks::InspectorLinks(const Parts &parts, const Gateway &gateway, QObject *window)
    : QObject(window), m_parts(parts), m_gateway(gateway),
      m_details(new JobDetails(parts.session, parts.models.jobs, this))
{
    m_panel = newInspector(false);
    parts.shell.setPanel(m_panel);
    connect(&parts.shell, &Shell::selected, m_panel, &Inspector::follow);
    connect(&parts.shell, &Shell::inspectWanted, this, &InspectorLinks::open);
    connect(m_panel, &Inspector::closeWanted, &parts.shell, [this] { m_parts.shell.showPanel(false); });
    connect(m_panel, &Inspector::windowWanted, this, &InspectorLinks::openWindow);
    parts.actions.add("window.inspector", lineIcon(QStringLiteral("details")), tr("&Inspector"), Qt::ALT | Qt::Key_I,
                      [this] { toggle(); });
    connect(this, &InspectorLinks::nodeWanted, &parts.session.znodes(), &ZnodeFeed::inspect);
    connect(this, &InspectorLinks::nodeUnwanted, &parts.session.znodes(), &ZnodeFeed::inspectNoMore);
}

InspectorLinks::~InspectorLinks()
{
    for (Inspector *const inspector : std::as_const(m_all)) // they may live longer
        inspector->disconnect(this);
}

Inspector *InspectorLinks::newInspector(bool isWindow)
{
    const ConsoleModels &models = m_parts.models;
    auto *const inspector =
        new Inspector({models.jobs, models.workers, models.queueTable, models.waits, models.ensemble, models.attempts},
                      m_gateway, isWindow ? Inspector::Place::Window : Inspector::Place::Panel);
    m_all.append(inspector);
    wire(inspector);
    return inspector;
}

void InspectorLinks::wire(Inspector *inspector)
{
    connect(inspector, &Inspector::jobOpened, m_details, &JobDetails::open);
    connect(inspector, &Inspector::entityWanted, this, &InspectorLinks::goTo);
    connect(inspector, &Inspector::openWanted, this, &InspectorLinks::open);
    connect(inspector, &Inspector::offerTaken, this, &InspectorLinks::take);
    connect(inspector, &Inspector::needsChanged, this, [this, inspector] {
        tellNeeds();
        tellNode(inspector);
    });
    connect(&m_parts.session.znodes(), &ZnodeFeed::inspected, inspector, &Inspector::showNode);
    connect(inspector, &QObject::destroyed, this, [this, inspector] {
        m_all.removeOne(inspector);
        if (const auto viewer = m_viewers.extract(inspector))
            Q_EMIT nodeUnwanted(viewer.mapped());
        tellNeeds();
    });
}

void InspectorLinks::open(const EntityRef &entity)
{
    m_parts.shell.showPanel(true);
    if (m_panel->isPinned() && m_panel->entity() != entity)
        return openWindow(entity);
    m_panel->inspect(entity);
}

void InspectorLinks::toggle()
{
    const bool shown = !m_parts.shell.isPanelShown();
    m_parts.shell.showPanel(shown);
    if (shown)
        m_panel->follow(m_parts.shell.selection());
}

// Beside the others, under the colour of the connection.
void InspectorLinks::openWindow(const EntityRef &entity)
{
    QWidget *const main = m_parts.shell.owner();
    auto *const own = new QWidget(main, Qt::Window);
    own->setAttribute(Qt::WA_DeleteOnClose);
    own->setWindowIcon(lineIcon(QStringLiteral("details")));
    own->setWindowTitle(tr("%1 — %2", "thing, main window").arg(entityText(entity), main->windowTitle()));
    Inspector *const inspector = newInspector(true);
    auto *const band = new ConnectionBand;
    band->showLook(m_parts.control.look());
    connect(&m_parts.control, &ConnectionControl::lookChanged, band, &ConnectionBand::showLook);
    auto *const column = new QVBoxLayout(own);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(band);
    column->addWidget(inspector, 1);
    connect(new QShortcut(QKeySequence::Cancel, own), &QShortcut::activated, own, &QWidget::close);
    own->resize(main->fontMetrics().averageCharWidth() * 80, main->fontMetrics().lineSpacing() * 36);
    inspector->showState(m_state);
    inspector->inspect(entity);
    own->show();
}

// The page of the thing, where there is one, and the panel.
void InspectorLinks::goTo(const EntityRef &entity)
{
    m_parts.shell.present();
    m_parts.shell.activateWindow();
    m_parts.shell.goToEntity(entity);
    m_panel->follow(entity);
}

void InspectorLinks::take(const EntityRef &entity, const QByteArray &offer)
{
    ClusterCommands &commands = m_parts.commands;
    if (entity.kind == EntityRef::Kind::Job)
        takeOfJob(entity, offer);
    else if (offer == "pause")
        commands.pause({entity.name});
    else if (offer == "resume")
        commands.resume({entity.name});
    else if (offer == "limit" && entity.kind == EntityRef::Kind::Queue)
        commands.limit(entity.name);
    else if (offer == "uncordon")
        commands.uncordon({entity.name});
    else if (offer == "cordon" || offer == "drain")
        commands.cordon({entity.name}, offer == "drain");
    else if (const auto limit = limitRowOf(m_parts.models.waits, entity.name); limit && offer == "limit")
        commands.setLimit(*limit);
    else if (const auto holder = onlyHolderOf(m_parts.models.waits, entity.name); holder && offer == "ask")
        commands.askToLetGo(*holder);
    else if (holder && offer == "break")
        commands.breakLock(*holder);
}

void InspectorLinks::takeOfJob(const EntityRef &job, const QByteArray &offer)
{
    const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(job.name));
    if (!id)
        return;
    if (offer == "repeat")
        return m_parts.dialogs.repeat({*id});
    if (offer == "repeat-failed")
        return m_parts.dialogs.repeatFailed({*id});
    if (offer == "copy-command") {
        for (const Inspector *const inspector : std::as_const(m_all)) {
            const JobPanel *const panel = inspector->entity() == job ? inspector->job() : nullptr;
            if (const std::optional<jobs::JobSpec> spec = panel ? panel->spec() : std::nullopt)
                return QGuiApplication::clipboard()->setText(m_parts.dialogs.commandFor(*spec));
        }
    }
    for (const JobVerb::Kind kind : jobVerbs()) {
        if (offer == nameOf(kind))
            m_parts.commands.act(kind, {*id});
    }
}

void InspectorLinks::showState(const ConnectionState &state)
{
    m_state = state;
    for (Inspector *const inspector : std::as_const(m_all))
        inspector->showState(state);
}

void InspectorLinks::forget()
{
    m_panel->forget();
    const QList<Inspector *> others = m_all.mid(1);
    for (Inspector *const inspector : others)
        delete inspector->window();
}

void InspectorLinks::tellNeeds()
{
    const auto anyNeeds = [this](bool (*needs)(EntityRef::Kind)) {
        return std::any_of(m_all.begin(), m_all.end(),
                           [needs](const Inspector *one) { return one->isVisible() && needs(one->entity().kind); });
    };
    m_parts.needs.want(m_parts.session.locks(), anyNeeds(&needsLocks));
    m_parts.needs.want(m_parts.session.workers(), anyNeeds(&needsWorkers));
}

void InspectorLinks::tellNode(const Inspector *inspector)
{
    if (const auto former = m_viewers.extract(inspector))
        Q_EMIT nodeUnwanted(former.mapped());
    if (!inspector->isVisible() || inspector->entity().kind != EntityRef::Kind::Znode)
        return;
    m_viewers[inspector] = newRequest();
    Q_EMIT nodeWanted(m_viewers[inspector], zk::Path(inspector->entity().name));
}

} // namespace drover::gui
