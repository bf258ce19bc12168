#include "gui/window/main_window.h"

#include "gui/pages/ensemble/ensemble_page.h"
#include "gui/pages/events/events_page.h"
#include "gui/pages/jobs_page.h"
#include "gui/pages/locks_page.h"
#include "gui/pages/overview_page.h"
#include "gui/pages/queues_page.h"
#include "gui/pages/schedules/schedules_page.h"
#include "gui/pages/waits/waits_page.h"
#include "gui/pages/workers_page.h"
#include "gui/pages/znodes_page.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/connection_band.h"
#include "gui/shell/connection_bar.h"
#include "gui/shell/page_window.h"
#include "gui/shell/shell.h"
#include "gui/shell/start_view.h"
#include "gui/shell/status_line.h"
#include "gui/text/entity_text.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/plain_text.h"
#include "gui/window/about_box.h"
#include "gui/window/chart_links.h"
#include "gui/window/connection_control.h"
#include "gui/window/event_links.h"
#include "gui/window/feed_needs.h"
#include "gui/window/inspector_links.h"
#include "gui/window/lab_link.h"
#include "gui/window/launch_links.h"
#include "gui/window/look/dialog_titles.h"
#include "gui/window/look/language_menu.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window/menus.h"
#include "gui/window/navigation.h"
#include "gui/window/replay_links.h"
#include "gui/window/schedule_links.h"
#include "gui/window/znode_wiring.h"
#include "text/name.h"
#include "text/printable.h"

#include <QApplication>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace drover::gui {

using Phase = SessionStatus::Phase;
using namespace std::chrono_literals;

MainWindow::MainWindow(ConsoleModels &models, ConsoleSession &session, QWidget *parent)
    : QMainWindow(parent), m_models(models), m_dialogs(session, models.queues, m_gateway, this),
      m_commands(session, models, m_gateway, this), m_actions(new ActionRegistry(*this, m_gateway)),
      m_control(new ConnectionControl(*m_actions, m_gateway)), m_center(new QStackedWidget), m_start(new StartView),
      m_shell(new Shell), m_navigation(new Navigation(*m_shell, *m_actions, models)), m_needs(new FeedNeeds(*m_shell)),
      m_palette(new CommandPalette(*m_actions, *this)), m_statusLine(new StatusLine), m_menus(new QMenuBar),
      m_band(new ConnectionBand), m_connection(new ConnectionBar(m_control->editAction(), m_control->colorMenu())),
      m_notice(new Notice)
{
    m_actions->setParent(this);
    m_control->setParent(this);
    m_navigation->setParent(this);
    m_needs->setParent(this);
    m_navigation->furnish(*m_palette);
    setWindowTitle(tr("Drover Console"));
    setWindowIcon(applicationIcon());
    auto *const center = new QWidget;
    auto *const column = new QVBoxLayout(center);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget *const part : std::initializer_list<QWidget *>{m_band, m_connection, m_notice})
        column->addWidget(part);
    m_center->addWidget(m_start);
    m_center->addWidget(m_shell);
    column->addWidget(m_center, 1);
    column->addWidget(m_statusLine);
    setCentralWidget(center);
    setMenuBar(m_menus);

    makeActions();
    m_theme = new ThemeMenu(*m_actions, this);
    m_language = new LanguageMenu(*m_actions, this);
    connect(m_language, &LanguageMenu::said, m_statusLine, &StatusLine::say);
    m_titles = new DialogTitles(*this);
    makePages(session);
    fillMenus(*m_menus, *m_shell, *m_actions, m_control->colorMenu(), {m_theme, m_language});
    connect(m_shell, &Shell::windowOpened, this, &MainWindow::furnish);
    connect(m_control, &ConnectionControl::lookChanged, m_band, &ConnectionBand::showLook);
    connect(m_control, &ConnectionControl::lookChanged, m_connection, &ConnectionBar::showLook);
    wireStart();
    wirePages(session);
    wireSession(session);
    showStatus({});
    m_shell->goTo(m_shell->current());
    connect(&m_sampling, &QTimer::timeout, this, [this] {
        if (m_status.phase == Phase::Connected)
            m_models.queues.sample();
    });
    m_sampling.start(QueueHistory::Interval);
}

MainWindow::~MainWindow()
{
    closeDialogs(); // before the members: a dialog that closes calls m_dialogs
    delete m_inspector; // which uses other children
}

void MainWindow::closeDialogs()
{
    qDeleteAll(findChildren<QDialog *>(Qt::FindDirectChildrenOnly));
    m_inspector->forget();
}

// In the order of the rail.
void MainWindow::makePages(ConsoleSession &session)
{
    m_overview = new OverviewPage(m_models.jobs, m_models.queues, m_models.load, m_models.workers, m_models.locks);
    m_shell->addPage(m_overview);
    m_jobs = new JobsPage(m_models.jobs, *m_actions);
    m_shell->addPage(m_jobs);
    m_queues = new QueuesPage(m_models.queues, m_models.queueTable, *m_actions);
    m_shell->addPage(m_queues);
    m_workers = new WorkersPage(m_models.workers, m_models.attempts, *m_actions);
    m_shell->addPage(m_workers);
    m_launch = new LaunchLinks(*m_workers, m_gateway);
    connect(this, &MainWindow::openWanted, m_launch, &LaunchLinks::setTarget);
    auto *const locks = new LocksPage(m_models.locks, *m_actions);
    m_commands.serve(*locks, session.locks());
    m_shell->addPage(locks);
    m_znodes = new ZnodesPage(m_models.znodes, *m_actions);
    m_shell->addPage(m_znodes);
    m_shell->addPage(new WaitsPage(m_models.waits));
    auto *const schedules = new SchedulesPage(m_models.schedules, *m_actions);
    m_shell->addPage(schedules);
    auto *const scheduleLinks = new ScheduleLinks(*schedules, session.schedules(), m_models.queues, m_gateway);
    connect(scheduleLinks, &ScheduleLinks::said, m_statusLine, &StatusLine::say);
    auto *const events = new EventsPage(m_models.events, m_models.subscriptions, *m_actions);
    m_shell->addPage(events);
    auto *const links = new EventLinks(*events, m_models.subscriptions, session.events(), *m_shell);
    links->joinWaits(m_models.waits, m_models.events);
    connect(links, &EventLinks::said, m_statusLine, &StatusLine::say);
    connect(this, &MainWindow::openWanted, links, &EventLinks::setTarget);
    m_shell->addPage(new EnsemblePage(m_models.ensemble, m_models.ensembleHistory, *m_actions));
    new ReplayLinks(session, m_models.znodes, *m_shell, *m_statusLine, *m_needs);
    addLab(*m_shell, *m_start);
    m_navigation->addPages(*m_actions);
    m_inspector = new InspectorLinks(
        {*m_shell, *m_actions, m_models, session, *m_needs, *m_control, m_dialogs, m_commands}, m_gateway, this);
}

void MainWindow::makeActions()
{
    m_actions->add(
        "job.submit", lineIcon(QStringLiteral("submit")), tr("&Submit a job…"), QKeySequence::New,
        [this] { m_dialogs.submit(); }, Gateway::toSubmit());
    m_actions->add("window.commands", lineIcon(QStringLiteral("search")), tr("&Find what to do…"), Qt::CTRL | Qt::Key_K,
                   [this] { openPalette(); });
    m_actions->add("page.window", lineIcon(QStringLiteral("window")), tr("The page in a &window of its own, or back"),
                   Qt::CTRL | Qt::SHIFT | Qt::Key_W, [this] { toggleWindow(); });
    m_actions->add("window.quit", {}, tr("&Quit"), Qt::CTRL | Qt::Key_Q, [this] { close(); });
    m_actions->add("help.about", {}, tr("&About Drover Console"), {}, [this] { showAbout(this); });
    m_actions->add("help.qt", {}, tr("About &Qt"), {}, [] { QApplication::aboutQt(); });
}

void MainWindow::furnish(PageWindow *own)
{
    own->addActions(m_actions->ofWindow());
    m_navigation->furnish(*new CommandPalette(*m_actions, *own));
    connect(m_control, &ConnectionControl::lookChanged, own, &PageWindow::showLook);
    own->showLook(m_control->look());
}

void MainWindow::openPalette()
{
    if (const auto *const own = qobject_cast<PageWindow *>(QApplication::activeWindow()))
        own->findChild<CommandPalette *>()->open(&own->page());
    else
        m_palette->open(m_shell->current());
}

void MainWindow::toggleWindow()
{
    PageWindow *const own = m_shell->windowOf(m_shell->current());
    if (auto *const active = qobject_cast<PageWindow *>(QApplication::activeWindow()))
        active->close();
    else if (own)
        own->close();
    else
        m_shell->openInWindow(m_shell->current());
}

void MainWindow::wireStart()
{
    m_start->setSource([this] { return m_control->known(); });
    connect(m_start, &StartView::connectWanted, this, &MainWindow::connectTo);
    connect(m_start, &StartView::otherWanted, m_connection, &ConnectionBar::takeFocus);
}

void MainWindow::keepCharts(const QString &path)
{
    m_charts->keepIn(path);
}

void MainWindow::setLocalTarget(const Target &target)
{
    m_start->setLocal(target);
}

// While the user wants no connection.
void MainWindow::showStart(bool shown)
{
    QWidget *const next = shown ? static_cast<QWidget *>(m_start) : m_shell;
    if (next == m_center->currentWidget())
        return;
    m_center->setCurrentWidget(next);
    if (!shown)
        m_shell->goTo(m_shell->current());
}

void MainWindow::wirePages(ConsoleSession &session)
{
    connect(m_overview, &OverviewPage::pageWanted, this, &MainWindow::showPage);
    connect(m_overview, &OverviewPage::jobsWanted, this, [this](const std::set<jobs::JobState> &states) {
        m_jobs->pane().choose(states);
        m_shell->goTo(m_jobs);
    });
    JobPane *const jobs = &m_jobs->pane();
    connect(jobs, &JobPane::verbWanted, &m_commands, &ClusterCommands::act);
    connect(jobs, &JobPane::verbOnAllWanted, &m_commands, &ClusterCommands::actOnAll);
    connect(m_queues, &QueuesPage::pauseWanted, &m_commands, &ClusterCommands::pause);
    connect(m_queues, &QueuesPage::resumeWanted, &m_commands, &ClusterCommands::resume);
    connect(m_workers, &WorkersPage::cordonWanted, &m_commands, &ClusterCommands::cordon);
    connect(m_workers, &WorkersPage::uncordonWanted, &m_commands, &ClusterCommands::uncordon);
    connect(jobs, &JobPane::repeatWanted, &m_dialogs, &JobDialogs::repeat);
    connect(jobs, &JobPane::repeatFailedWanted, &m_dialogs, &JobDialogs::repeatFailed);
    connect(jobs, &JobPane::searchWanted, &session.jobs(), &JobFeed::search);
    connect(jobs, &JobPane::searchWanted, &session.past(), &PastJobs::search);
    connect(&m_models.jobs, &JobModel::shown, this, &MainWindow::showState);
    wireZnodes(*m_znodes, session, m_gateway);
    connect(&session.znodes(), &ZnodeFeed::tooManyOpen, this, [this](int limit) {
        m_statusLine->say(tr("%1 nodes are open already: close some to follow more.").arg(limit), 8s);
    });
}

void MainWindow::wireSession(ConsoleSession &session)
{
    connect(m_connection, &ConnectionBar::connectWanted, this, &MainWindow::connectTo);
    connect(m_connection, &ConnectionBar::disconnectWanted, this, &MainWindow::closeWanted);
    connect(this, &MainWindow::openWanted, &session, &ConsoleSession::open);
    connect(this, &MainWindow::closeWanted, &session, &ConsoleSession::close);
    connect(&m_gateway, &Gateway::refused, m_statusLine, [this](const QString &why) { m_statusLine->say(why, 15s); });
    connect(&m_dialogs, &JobDialogs::said, m_statusLine, &StatusLine::say);
    connect(&m_commands, &ClusterCommands::said, m_statusLine, &StatusLine::say);
    connect(&session, &ConsoleSession::statusChanged, this, &MainWindow::showStatus);
    connect(&session, &ConsoleSession::watchesChanged, m_statusLine,
            [this](int watches) { m_statusLine->showWatches(watches, ConsoleSession::WatchBudget); });
    m_charts = new ChartLinks(m_models.load, session, this);
    connect(m_charts, &ChartLinks::said, m_statusLine, &StatusLine::say);
    m_needs->add(session.locks(), {QStringLiteral("overview"), QStringLiteral("locks"), QStringLiteral("waits")});
    m_needs->add(session.workers(), {QStringLiteral("overview"), QStringLiteral("workers")});
    connect(m_needs, &FeedNeeds::wakingChanged, this, &MainWindow::notice);
    connect(m_shell, &Shell::currentChanged, this, [this] {
        if (isConnected())
            notice();
    });
    connect(&session, &ConsoleSession::latencyMeasured, m_statusLine, &StatusLine::showLatency);
    connect(&session.master(), &MasterFeed::troubleChanged, this, [this](const QString &trouble) {
        m_clusterTrouble = trouble;
        notice();
    });
}

void MainWindow::connectTo(const Target &target)
{
    if (target.connect.isEmpty()) {
        m_notice->say(tr("Say which ZooKeeper servers to connect to, for example 127.0.0.1:2181."));
        return;
    }
    if (!text::isName(QString::fromUtf8(target.cluster))) {
        m_notice->say(tr("“%1” is not a valid cluster name: use 1 to 32 of a–z, 0–9 and -.")
                          .arg(text::printable(target.cluster)));
        return;
    }
    m_connection->setTarget(target);
    if (target != m_shown) {
        closeDialogs(); // they are about other jobs
        m_dialogs.forget();
        m_dialogs.setTarget(target);
        m_commands.forget();
        m_models.queues.clear();
        m_charts->setTarget(target);
        m_znodes->openAt(jobs::Layout(target.cluster).config());
        m_shown = target;
        m_control->use(target);
        m_titles->setCluster(targetText(target));
        m_lastConnected = {};
        updateTitle();
    }
    Q_EMIT openWanted(target);
}

void MainWindow::offerTarget(const Target &target)
{
    m_connection->setTarget(target);
    m_notice->say(tr("No cluster is configured. Start one on this machine with “drover up”, or enter the address of "
                     "ZooKeeper and press Connect."));
}

void MainWindow::showStatus(const SessionStatus &status)
{
    if (m_status.phase == Phase::Connected && status.phase != Phase::Connected)
        m_lastConnected = QTime::currentTime();
    m_status = status;
    m_connection->showStatus(status);
    showStart(status.phase == Phase::Disconnected);
    m_dialogs.setConnected(isConnected());
    notice();
    showState();
}

// The last that is known is still shown.
bool MainWindow::isStale() const
{
    return m_status.phase != Phase::Connected && m_status.phase != Phase::Disconnected && m_lastConnected.isValid();
}

void MainWindow::showState()
{
    const ConnectionState state{m_status, m_models.jobs.snapshot().clusterExists,
                                isStale() ? m_lastConnected.toString(QStringLiteral("HH:mm:ss")) : QString()};
    if (state == m_state)
        return;
    m_state = state;
    m_shell->showState(state);
    m_statusLine->showState(state);
    m_control->showState(state);
    m_inspector->showState(state);
}

void MainWindow::updateTitle()
{
    setWindowTitle(m_shown.connect.isEmpty()
                       ? tr("Drover Console")
                       : tr("%1 on %2 — Drover Console", "cluster, servers")
                             .arg(QString::fromUtf8(m_shown.cluster), text::printable(m_shown.connect)));
}

// Trouble with ZooKeeper first: without it, nothing else is known.
void MainWindow::notice()
{
    QStringList sentences;
    if (isStale())
        sentences << tr("All that is shown is as of %1.").arg(m_lastConnected.toString(QStringLiteral("HH:mm:ss")));
    if (isConnected() && m_needs->isWaking(m_shell->current()))
        sentences << tr("This page slept, and is waking: what it shows may be half a minute old.");
    sentences << text::printable(m_status.trouble.isEmpty() ? m_clusterTrouble : m_status.trouble,
                                 text::LineEnds::Keep);
    sentences.removeAll(QString());
    m_notice->say(sentences.join(u' '));
}

bool MainWindow::showPage(const QString &name)
{
    Page *const page = m_shell->find(name);
    if (page)
        m_shell->goTo(page);
    return page != nullptr;
}

QStringList MainWindow::pageNames() const
{
    QStringList names;
    for (const Page *const page : m_shell->pages())
        names << page->name();
    return names;
}

void MainWindow::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_theme->saveTo(settings);
    m_language->saveTo(settings);
    if (!m_shown.connect.isEmpty()) {
        settings.setValue(QStringLiteral("target/servers"), m_shown.connect);
        settings.setValue(QStringLiteral("target/cluster"), m_shown.cluster);
    }
    m_control->saveTo(settings);
    m_launch->saveTo(settings);
    m_shell->saveTo(settings);
    m_models.subscriptions.saveTo(settings);
}

void MainWindow::restoreFrom(QSettings &settings)
{
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_theme->restoreFrom(settings);
    m_language->restoreFrom(settings);
    m_control->restoreFrom(settings);
    m_launch->restoreFrom(settings);
    m_shell->restoreFrom(settings);
    m_models.subscriptions.restoreFrom(settings);
}

Target MainWindow::lastTarget(const QSettings &settings)
{
    Target target;
    target.connect = settings.value(QStringLiteral("target/servers")).toString();
    target.cluster = settings.value(QStringLiteral("target/cluster"), target.cluster).toByteArray();
    return target;
}

} // namespace drover::gui
