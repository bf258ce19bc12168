#include "gui/workspace/workspace.h"

#include "gui/credentials/credentials_control.h"
#include "gui/doctor/doctor_links.h"
#include "gui/doctor/findings_dialog.h"
#include "gui/pages/events_page.h"
#include "gui/pages/replay/replay_page.h"
#include "gui/pages/schedules/schedules_page.h"
#include "gui/pages/workers_page.h"
#include "gui/pages/znodes_page.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/connection_band.h"
#include "gui/shell/connection_bar.h"
#include "gui/shell/page_window.h"
#include "gui/shell/start_view.h"
#include "gui/shell/status_line.h"
#include "gui/text/entity_text.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/notice.h"
#include "gui/window/look/dialog_titles.h"
#include "gui/workspace/chart_links.h"
#include "gui/workspace/console_models.h"
#include "gui/workspace/event_links.h"
#include "gui/workspace/feed_needs.h"
#include "gui/workspace/inspector_links.h"
#include "gui/workspace/launch_links.h"
#include "gui/workspace/menus.h"
#include "gui/workspace/navigation.h"
#include "gui/workspace/replay_links.h"
#include "gui/znodes/path_bar.h"
#include "text/name.h"
#include "text/printable.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QMenu>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace drover::gui {

using Phase = SessionStatus::Phase;
using namespace std::chrono_literals;

Workspace::Workspace(ConsoleModels &models, ConsoleSession &session, const Common &common)
    : m_models(models), m_showOther(common.showOther), m_dialogs(session, models.queues, m_gateway, this),
      m_commands(session, models, m_gateway, this), m_actions(new ActionRegistry(*this, &m_gateway)),
      m_control(new ConnectionControl(*m_actions, m_gateway, common.known)),
      m_credentials(new CredentialsControl(common.keyring, common.known, *m_actions, *this)),
      m_center(new QStackedWidget), m_start(new StartView), m_shell(new Shell),
      m_navigation(new Navigation(*m_shell, *m_actions, models)), m_needs(new FeedNeeds(*m_shell)),
      m_palette(new CommandPalette(*m_actions, *this)), m_statusLine(new StatusLine), m_band(new ConnectionBand),
      m_connection(new ConnectionBar(m_control->editAction(), m_control->colorMenu())), m_notice(new Notice)
{
    for (QObject *const part :
         std::initializer_list<QObject *>{m_actions, m_control, m_credentials, m_navigation, m_needs})
        part->setParent(this);
    m_shell->setOwner(*this);
    m_navigation->furnish(*m_palette);
    layOut();
    makeActions();
    m_actions->share(common.actions);
    m_titles = new DialogTitles(*this);
    connect(m_titles, &DialogTitles::openedUnseen, this, &Workspace::presentWanted);
    makePages(session, common);
    wireParts(session);
    wireSession(session);
    updateTitle();
    showStatus({});
    m_shell->goTo(m_shell->current());
    connect(&m_sampling, &QTimer::timeout, this, [this] {
        if (isConnected())
            m_models.queues.sample();
    });
    m_sampling.start(QueueHistory::Interval);
}

void Workspace::layOut()
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget *const part : std::initializer_list<QWidget *>{m_band, m_connection, m_notice})
        column->addWidget(part);
    m_center->addWidget(m_start);
    m_center->addWidget(m_shell);
    column->addWidget(m_center, 1);
    column->addWidget(m_statusLine);
}

Workspace::~Workspace()
{
    closeDialogs(); // before the members: a dialog that closes calls m_dialogs
    delete m_inspector; // which uses other children
}

// Each is of a cluster that is shown no more.
void Workspace::closeDialogs()
{
    qDeleteAll(findChildren<QDialog *>(Qt::FindDirectChildrenOnly));
    qDeleteAll(m_pages.schedules->findChildren<QDialog *>());
    m_inspector->forget();
}

void Workspace::makePages(ConsoleSession &session, const Common &common)
{
    m_pages = addPages(*m_shell, m_models, *m_actions, common.views);
    joinPages(m_pages, *m_shell, {m_commands, m_dialogs, session, m_gateway});
    m_launch = new LaunchLinks(*m_pages.workers, m_gateway);
    m_doctor = new DoctorLinks(*m_pages.overview, [this] { return m_launch->program(m_credentials->whyNoProgram()); });
    m_schedules = new ScheduleLinks(*m_pages.schedules, session.schedules(), m_models.queues, m_gateway);
    connect(m_schedules, &ScheduleLinks::said, m_statusLine, &StatusLine::say);
    m_events = new EventLinks(*m_pages.events, m_models.subscriptions, session.events(), *m_shell);
    m_events->joinWaits(m_models.waits, m_models.events);
    connect(m_events, &EventLinks::said, m_statusLine, &StatusLine::say);
    m_replay = new ReplayLinks(session, m_models.znodes, *m_shell, *m_statusLine, *m_needs);
    addLab(*m_shell, *m_start);
    m_navigation->addPages(*m_actions);
    m_inspector = new InspectorLinks(
        {*m_shell, *m_actions, m_models, session, *m_needs, *m_control, m_dialogs, m_commands}, m_gateway, this);
    m_menus = newMenus(*this, *m_shell, *m_actions, m_control->colorMenu(), common.looks);
}

void Workspace::makeActions()
{
    m_actions->add(
        "job.submit", lineIcon(QStringLiteral("submit")), tr("&Submit a job…"), QKeySequence::New,
        [this] { m_dialogs.submit(); }, Gateway::toSubmit());
    m_actions->add("window.commands", lineIcon(QStringLiteral("search")), tr("&Find what to do…"), Qt::CTRL | Qt::Key_K,
                   [this] { openPalette(); });
    m_actions->add("page.window", lineIcon(QStringLiteral("window")), tr("The page in a &window of its own, or back"),
                   Qt::CTRL | Qt::SHIFT | Qt::Key_W, [this] { toggleWindow(); });
}

// The shortcuts of the tabs act in the window that has them.
void Workspace::furnish(PageWindow *own)
{
    const QList<QAction *> actions = m_actions->ofWindow();
    for (QAction *const action : actions) {
        if (!action->objectName().startsWith(u"tab."))
            own->addAction(action);
    }
    m_navigation->furnish(*new CommandPalette(*m_actions, *own));
    connect(m_control, &ConnectionControl::lookChanged, own, &PageWindow::showLook);
    own->showLook(m_control->look());
}

void Workspace::openPalette()
{
    if (const auto *const own = qobject_cast<PageWindow *>(QApplication::activeWindow()))
        own->findChild<CommandPalette *>()->open(&own->page());
    else
        m_palette->open(m_shell->current());
}

void Workspace::toggleWindow()
{
    PageWindow *const own = m_shell->windowOf(m_shell->current());
    if (auto *const active = qobject_cast<PageWindow *>(QApplication::activeWindow()))
        active->close();
    else if (own)
        own->close();
    else
        m_shell->openInWindow(m_shell->current());
}

void Workspace::keepCharts(const QString &path)
{
    m_charts->keepIn(path);
}

void Workspace::setLocalTarget(const Target &target)
{
    m_start->setLocal(target);
}

// While the user wants no connection.
void Workspace::showStart(bool shown)
{
    QWidget *const next = shown ? static_cast<QWidget *>(m_start) : m_shell;
    if (next == m_center->currentWidget())
        return;
    m_center->setCurrentWidget(next);
    if (!shown)
        m_shell->goTo(m_shell->current());
}

void Workspace::wireParts(ConsoleSession &session)
{
    m_start->setSource([this] { return m_control->known(); });
    connect(m_start, &StartView::connectWanted, this, &Workspace::connectTo);
    connect(m_start, &StartView::otherWanted, m_connection, &ConnectionBar::takeFocus);
    connect(m_shell, &Shell::windowOpened, this, &Workspace::furnish);
    connect(m_shell, &Shell::presentWanted, this, &Workspace::presentWanted);
    connect(m_control, &ConnectionControl::lookChanged, m_band, &ConnectionBand::showLook);
    connect(m_control, &ConnectionControl::lookChanged, m_connection, &ConnectionBar::showLook);
    connect(m_control, &ConnectionControl::lookChanged, this, &Workspace::tabChanged);
    for (const Page *const page : m_shell->pages())
        connect(page, &Page::badgeChanged, this, &Workspace::tabChanged);
    connect(&m_models.subscriptions, &Subscriptions::rulesChanged, this, &Workspace::sharedChanged);
    connect(&m_pages.znodes->path(), &PathBar::bookmarksChanged, this, &Workspace::sharedChanged);
    connect(&m_replay->page(), &ReplayPage::wantedChanged, this, &Workspace::sharedChanged);
    connect(&m_models.jobs, &JobModel::shown, this, &Workspace::showState);
    connect(&session.znodes(), &ZnodeFeed::tooManyOpen, this, [this](int limit) {
        m_statusLine->say(tr("%1 nodes are open already: close some to follow more.").arg(limit), 8s);
    });
    connect(&m_gateway, &Gateway::refused, m_statusLine, [this](const QString &why) { m_statusLine->say(why, 15s); });
    connect(&m_dialogs, &JobDialogs::said, m_statusLine, &StatusLine::say);
    connect(&m_commands, &ClusterCommands::said, m_statusLine, &StatusLine::say);
}

void Workspace::wireSession(ConsoleSession &session)
{
    connect(m_connection, &ConnectionBar::connectWanted, this, &Workspace::connectTo);
    connect(m_connection, &ConnectionBar::disconnectWanted, this, &Workspace::closeWanted);
    connect(m_credentials, &CredentialsControl::ready, &session, &ConsoleSession::open);
    connect(m_credentials, &CredentialsControl::closeWanted, &session, &ConsoleSession::close);
    connect(m_credentials, &CredentialsControl::noticeChanged, this, &Workspace::notice);
    connect(m_credentials, &CredentialsControl::knownChanged, this, &Workspace::knownChanged);
    connect(m_credentials, &CredentialsControl::said, m_statusLine, &StatusLine::say);
    connect(this, &Workspace::closeWanted, m_credentials, &CredentialsControl::cancel);
    connect(this, &Workspace::closeWanted, &session, &ConsoleSession::close);
    connect(&session, &ConsoleSession::statusChanged, this, &Workspace::showStatus);
    connect(&session, &ConsoleSession::watchesChanged, m_statusLine,
            [this](int watches) { m_statusLine->showWatches(watches, ConsoleSession::WatchBudget); });
    m_charts = new ChartLinks(m_models.load, m_models.queueLoads, session, this);
    connect(m_charts, &ChartLinks::said, m_statusLine, &StatusLine::say);
    m_needs->add(session.locks(), {QStringLiteral("overview"), QStringLiteral("locks"), QStringLiteral("waits")});
    m_needs->add(session.workers(), {QStringLiteral("overview"), QStringLiteral("workers")});
    connect(m_needs, &FeedNeeds::wakingChanged, this, &Workspace::notice);
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

void Workspace::connectTo(const Target &target)
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
    if (m_showOther(*this, target)) {
        m_connection->setTarget(m_shown);
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
        m_launch->setTarget(target);
        m_doctor->forget();
        m_events->setTarget(target);
        m_pages.znodes->openAt(jobs::Layout(target.cluster).config());
        m_shown = target;
        m_control->use(target);
        m_titles->setCluster(targetText(target));
        m_lastConnected = {};
        updateTitle();
    }
    m_credentials->open(target); // the session follows, perhaps never
}

void Workspace::end()
{
    m_dialogs.forget();
    m_commands.forget();
    Q_EMIT closeWanted();
    connect(m_launch, &LaunchLinks::ended, this, &Workspace::ended);
    m_launch->end();
}

void Workspace::offerTarget(const Target &target)
{
    m_connection->setTarget(target);
    m_notice->say(tr("No cluster is configured. Start one on this machine with “drover up”, or enter the address of "
                     "ZooKeeper and press Connect."));
}

void Workspace::showStatus(const SessionStatus &status)
{
    if (m_status.phase == Phase::Connected && status.phase != Phase::Connected)
        m_lastConnected = QTime::currentTime();
    m_status = status;
    m_connection->showStatus(status);
    m_credentials->showStatus(status);
    showStart(status.phase == Phase::Disconnected);
    m_dialogs.setConnected(isConnected());
    notice();
    showState();
}

// The last that is known is still shown.
bool Workspace::isStale() const
{
    return m_status.phase != Phase::Connected && m_status.phase != Phase::Disconnected && m_lastConnected.isValid();
}

void Workspace::showState()
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
    Q_EMIT tabChanged();
}

void Workspace::updateTitle()
{
    setWindowTitle(m_shown.connect.isEmpty()
                       ? tr("Drover Console")
                       : tr("%1 on %2 — Drover Console", "cluster, servers")
                             .arg(QString::fromUtf8(m_shown.cluster), text::printable(m_shown.connect)));
}

// Trouble with ZooKeeper first: without it, nothing else is known.
void Workspace::notice()
{
    QStringList sentences{m_credentials->notice()};
    if (isStale())
        sentences << tr("All that is shown is as of %1.").arg(m_lastConnected.toString(QStringLiteral("HH:mm:ss")));
    if (isConnected() && m_needs->isWaking(m_shell->current()))
        sentences << tr("This page slept, and is waking: what it shows may be half a minute old.");
    sentences << text::printable(m_status.trouble.isEmpty() ? m_clusterTrouble : m_status.trouble,
                                 text::LineEnds::Keep);
    sentences.removeAll(QString());
    m_notice->say(sentences.join(u' '));
}

bool Workspace::showPage(const QString &name)
{
    Page *const page = m_shell->find(name);
    if (page)
        m_shell->goTo(page);
    return page != nullptr;
}

QString Workspace::pageName() const
{
    return m_shell->current()->name();
}

QStringList Workspace::losses() const
{
    QStringList losses;
    const QList<QDialog *> dialogs = findChildren<QDialog *>();
    for (const QDialog *const dialog : dialogs) {
        if (dialog->isVisible() && !qobject_cast<const FindingsDialog *>(dialog))
            losses << tr("A dialog is open: “%1”.").arg(dialog->windowTitle());
    }
    if (m_launch->isRunning())
        losses << tr("Workers are being launched; that is interrupted.");
    return losses;
}

void Workspace::setSeen(bool seen)
{
    m_shell->setSeen(seen);
    m_credentials->setSeen(seen);
}

void Workspace::takeFocus()
{
    QWidget *const last = focusWidget();
    if (last && last != this && last->isVisibleTo(this))
        last->setFocus(Qt::ShortcutFocusReason);
    else if (m_center->currentWidget() == m_shell && !m_shell->windowOf(m_shell->current()))
        m_shell->goTo(m_shell->current());
}

void Workspace::saveTo(QSettings &settings) const
{
    m_launch->saveTo(settings);
    m_shell->saveTo(settings);
}

void Workspace::restoreFrom(const QSettings &settings, bool asItWas)
{
    m_launch->restoreFrom(settings);
    m_shell->restoreFrom(settings, asItWas);
}

void Workspace::adopt(const Workspace &other)
{
    m_pages.znodes->path().setBookmarks(other.m_pages.znodes->path().bookmarks());
    m_replay->page().setWanted(other.m_replay->page().wanted());
    m_models.subscriptions.setRules(other.m_models.subscriptions.rules()); // last: it may say sharedChanged()
}

void Workspace::setDesktop(Notifier::Desktop desktop)
{
    m_events->setDesktop(std::move(desktop));
}

} // namespace drover::gui
