#include "gui/window/main_window.h"

#include "gui/text/shell_words.h"
#include "gui/widgets/connection_bar.h"
#include "gui/widgets/depth_chart.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/node_view.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/znode_tree.h"
#include "gui/window/pane_layout.h"
#include "text/name.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSettings>
#include <QStatusBar>
#include <QVBoxLayout>

namespace drover::gui {

using Phase = SessionStatus::Phase;

namespace {

constexpr int LayoutVersion = 1; // of the docks that saveState() knows

// For a terminal, whose own settings may name another ensemble.
QString commandFor(QStringList words, const Target &target)
{
    words << QStringLiteral("--connect") << target.connect << QStringLiteral("--cluster")
          << QString::fromUtf8(target.cluster);
    return text::printable(joinShellWords(words));
}

// Shows the pane if it is hidden, and gives its content the keyboard.
void goTo(QDockWidget *dock, QWidget *content)
{
    dock->show();
    dock->raise();
    QWidget *const editor = content->focusPolicy() == Qt::NoFocus ? content->findChild<QPlainTextEdit *>() : content;
    if (editor)
        editor->setFocus(Qt::ShortcutFocusReason);
}

} // namespace

MainWindow::MainWindow(ConsoleModels &models, ConsoleSession &session, QWidget *parent)
    : QMainWindow(parent), m_models(models), m_dialogs(session, models.jobs, models.queues, this)
{
    setWindowTitle(tr("Drover Console"));
    setWindowIcon(applicationIcon());
    makePanes();
    makeMenus();
    wirePanes();
    wireSession(session);
    showStatus({});
    connect(&m_sampling, &QTimer::timeout, this, [this] {
        if (m_status.phase == Phase::Connected)
            m_models.queues.sample();
    });
    m_sampling.start(QueueHistory::Interval);
}

void MainWindow::showEvent(QShowEvent *event)
{
    if (!std::exchange(m_laidOut, true))
        restoreDefaultLayout(); // of the size that the window has got meanwhile
    QMainWindow::showEvent(event);
}

MainWindow::~MainWindow()
{
    closeDialogs(); // before the members: a dialog that closes calls m_dialogs
}

void MainWindow::closeDialogs()
{
    qDeleteAll(findChildren<QDialog *>(Qt::FindDirectChildrenOnly));
}

void MainWindow::makePanes()
{
    m_connection = new ConnectionBar;
    m_notice = new Notice;
    m_jobs = new JobPane(m_models.jobs);
    auto *center = new QWidget;
    auto *column = new QVBoxLayout(center);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_jobs, 1);
    setCentralWidget(center);

    m_menus = new QMenuBar;
    auto *top = new QWidget; // not QMainWindow's own menu bar: the connection stands right below it
    auto *bars = new QVBoxLayout(top);
    bars->setContentsMargins(0, 0, 0, 0);
    bars->setSpacing(0);
    bars->addWidget(m_menus);
    bars->addWidget(m_connection);
    bars->addWidget(m_notice);
    setMenuWidget(top);

    m_tree = new ZnodeTree(m_models.znodes);
    m_node = new NodeView;
    m_chart = new DepthChart(m_models.queues);
    m_workers = new TableView(&m_models.workers, WorkerModel::Worker);
    m_workers->setAccessibleName(tr("Workers"));
    m_workers->setColumnWidths({22, 12, 13, 0, 10, 8});
    m_workers->setSpareColumns({WorkerModel::Pid, WorkerModel::Since, WorkerModel::Queues});
    m_locks = new TableView(&m_models.locks, LockModel::Place);
    m_locks->setAccessibleName(tr("Locks"));
    m_locks->setColumnWidths({16, 12, 0, 20, 10});
    m_locks->setSpareColumns({LockModel::Session, LockModel::Since});
    addDock(QStringLiteral("znodes"), tr("Znodes"), m_tree, Qt::LeftDockWidgetArea);
    addDock(QStringLiteral("node"), tr("Selected node"), m_node, Qt::LeftDockWidgetArea);
    addDock(QStringLiteral("queues"), tr("Unfinished jobs in each queue"), m_chart, Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("workers"), tr("Workers"), m_workers, Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("locks"), tr("Locks"), m_locks, Qt::BottomDockWidgetArea);

    m_watches = plainLabel();
    m_watches->setToolTip(tr("ZooKeeper tells the console about each change of this many nodes."));
    auto *readOnly = plainLabel(tr("Znodes are shown read-only"));
    for (QLabel *label : {m_watches, readOnly}) {
        label->setContentsMargins(10, 2, 10, 2);
        statusBar()->addPermanentWidget(label);
    }
}

QDockWidget *MainWindow::addDock(const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area)
{
    auto *dock = new QDockWidget(title);
    dock->setObjectName(name);
    dock->setWidget(content);
    addDockWidget(area, dock);
    m_docks.push_back(dock);
    return dock;
}

void MainWindow::makeMenus()
{
    QMenu *job = m_menus->addMenu(tr("&Jobs"));
    job->addAction(tr("&Submit…"), QKeySequence::New, &m_dialogs, &JobDialogs::submit);
    m_jobs->detailsAction()->setShortcut(Qt::CTRL | Qt::Key_D);
    job->addAction(m_jobs->detailsAction());
    m_jobs->cancelAction()->setShortcut(Qt::CTRL | Qt::Key_Delete);
    m_jobs->cancelAction()->setAutoRepeat(false);
    job->addAction(m_jobs->cancelAction());
    job->addAction(m_jobs->repeatAction());
    m_jobs->repeatAction()->setAutoRepeat(false);
    m_jobs->repeatAction()->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_N);
    job->addAction(tr("&Filter"), QKeySequence::Find, m_jobs, &JobPane::focusFilter);
    job->addSeparator();
    job->addAction(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), this, &QWidget::close);

    QMenu *view = m_menus->addMenu(tr("&View"));
    view->addAction(tr("&Jobs"), QKeySequence(Qt::ALT | Qt::Key_0), this, [this] { m_jobs->table().setFocus(); });
    int number = 1;
    for (QDockWidget *dock : m_docks) {
        QAction *go = view->addAction(dock->windowTitle(), QKeySequence(Qt::ALT | Qt::Key(Qt::Key_0 + number++)), this,
                                      [dock] { goTo(dock, dock->widget()); });
        addAction(go);
    }
    QMenu *panes = view->addMenu(tr("&Panes"));
    for (QDockWidget *dock : m_docks)
        panes->addAction(dock->toggleViewAction());
    view->addSeparator();
    view->addAction(tr("&Refresh counts of the tree"), QKeySequence(Qt::Key_F5), m_tree, &ZnodeTree::refresh);
    view->addAction(tr("Restore &default layout"), this, &MainWindow::restoreDefaultLayout);
    view->addSeparator();
    QMenu *theme = view->addMenu(tr("&Theme"));
    m_themes = new QActionGroup(this);
    const std::pair<ThemeChoice, QString> choices[] = {{ThemeChoice::System, tr("As the &system")},
                                                       {ThemeChoice::Light, tr("&Light")},
                                                       {ThemeChoice::Dark, tr("&Dark")}};
    for (const auto &[choice, name] : choices) {
        QAction *action = theme->addAction(name, this, [this, choice = choice] { setTheme(choice); });
        action->setCheckable(true);
        action->setData(int(choice));
        m_themes->addAction(action);
    }
    m_themes->actions().front()->setChecked(true);

    QMenu *help = m_menus->addMenu(tr("&Help"));
    help->addAction(tr("&About Drover Console"), this, &MainWindow::showAbout);
    help->addAction(tr("About &Qt"), qApp, &QApplication::aboutQt);
}

void MainWindow::wirePanes()
{
    connect(m_connection, &ConnectionBar::connectWanted, this, &MainWindow::connectTo);
    connect(m_connection, &ConnectionBar::disconnectWanted, this, &MainWindow::closeWanted);
    connect(m_tree, &ZnodeTree::selected, this, &MainWindow::selectNode);
    connect(m_jobs, &JobPane::submitWanted, &m_dialogs, &JobDialogs::submit);
    connect(m_jobs, &JobPane::cancelWanted, &m_dialogs, &JobDialogs::cancel);
    connect(m_jobs, &JobPane::repeatWanted, &m_dialogs, &JobDialogs::repeat);
    connect(m_jobs, &JobPane::detailsWanted, &m_dialogs, &JobDialogs::openDetails);
    connect(&m_dialogs, &JobDialogs::said, this, [this](const QString &text, std::chrono::milliseconds duration) {
        statusBar()->showMessage(text, int(duration.count()));
    });
    connect(&m_models.jobs, &JobModel::shown, this, &MainWindow::updateEmptyStates);
}

void MainWindow::wireSession(ConsoleSession &session)
{
    connect(this, &MainWindow::openWanted, &session, &ConsoleSession::open);
    connect(this, &MainWindow::closeWanted, &session, &ConsoleSession::close);
    connect(this, &MainWindow::nodeWanted, &session.znodes(), &ZnodeFeed::select);
    connect(m_jobs, &JobPane::searchWanted, &session.jobs(), &JobFeed::search);
    connect(m_jobs, &JobPane::searchWanted, &session.past(), &PastJobs::search);

    connect(&session, &ConsoleSession::statusChanged, this, &MainWindow::showStatus);
    connect(&session, &ConsoleSession::watchesChanged, this,
            [this](int watches) { m_watches->setText(tr("Watches: %1").arg(text::formatCount(watches))); });
    connect(&session.znodes(), &ZnodeFeed::contentsRead, m_node, &NodeView::show);
    connect(&session.znodes(), &ZnodeFeed::tooManyOpen, this, [this](int limit) {
        statusBar()->showMessage(tr("%1 nodes are open already: close some to follow more.").arg(limit), 8000);
    });
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
        m_models.znodes.clear();
        m_models.queues.clear();
        m_node->clear();
        m_tree->reveal(jobs::Layout(target.cluster).config());
        m_shown = target;
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
    m_dialogs.setConnected(isConnected());
    m_watches->setVisible(status.phase == Phase::Connected);
    notice();
    updateEmptyStates();
    updateStaleness();
}

// The last that is known is still shown.
bool MainWindow::isStale() const
{
    return m_status.phase != Phase::Connected && m_status.phase != Phase::Disconnected && m_lastConnected.isValid();
}

void MainWindow::updateStaleness()
{
    m_jobs->table().setStale(isStale());
    m_workers->setStale(isStale());
    m_locks->setStale(isStale());
    m_tree->setStale(isStale());
    m_chart->setStale(isStale() ? m_lastConnected.toString(QStringLiteral("HH:mm:ss")) : QString());
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
    sentences << text::printable(m_status.trouble.isEmpty() ? m_clusterTrouble : m_status.trouble,
                                 text::LineEnds::Keep);
    sentences.removeAll(QString());
    m_notice->say(sentences.join(u' '));
}

void MainWindow::updateEmptyStates()
{
    QString jobs = tr("No jobs yet.\nSubmit one with Ctrl+N.");
    const QString worker = commandFor({QStringLiteral("drover"), QStringLiteral("worker")}, m_status.target);
    const QString lock = commandFor({QStringLiteral("drover"), QStringLiteral("lock")}, m_status.target);
    QString workers = tr("No workers.\nStart one: %1").arg(worker);
    QString locks = tr("No locks.\nTake one: %1 NAME -- COMMAND").arg(lock);
    QString queues = tr("No queues yet.\nThe first worker makes one.");
    if (m_status.phase == Phase::Disconnected || m_status.phase == Phase::Failed) {
        jobs = workers = locks = queues = tr("Not connected.");
    } else if (m_status.phase != Phase::Connected) {
        jobs = workers = locks = queues = tr("Waiting for ZooKeeper…");
    } else if (!m_models.jobs.snapshot().clusterExists) {
        jobs = tr("Cluster “%1” does not exist here yet.\nThe first worker makes it: %2")
                   .arg(QString::fromUtf8(m_status.target.cluster), worker);
    }
    m_jobs->sayWhenEmpty(jobs);
    m_workers->say(workers);
    m_locks->say(locks);
    m_chart->sayWhenEmpty(queues);
}

void MainWindow::selectNode(const zk::Path &path)
{
    m_node->awaitContents(path);
    Q_EMIT nodeWanted(path);
}

void MainWindow::restoreDefaultLayout()
{
    layOutPanes(*this, {m_docks[0], m_docks[1], m_docks[2], m_docks[3], m_docks[4]});
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_savedTheme = choice;
    setThemeOnce(choice);
}

void MainWindow::setThemeOnce(ThemeChoice choice)
{
    applyTheme(choice);
    for (QAction *action : m_themes->actions())
        action->setChecked(action->data().toInt() == int(choice));
}

void MainWindow::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/docks"), saveState(LayoutVersion));
    settings.setValue(QStringLiteral("window/theme"), int(m_savedTheme));
    if (!m_shown.connect.isEmpty()) {
        settings.setValue(QStringLiteral("target/servers"), m_shown.connect);
        settings.setValue(QStringLiteral("target/cluster"), m_shown.cluster);
    }
    m_jobs->saveFilter(settings);
    settings.setValue(QStringLiteral("columns/jobs"), m_jobs->table().saveColumns());
    settings.setValue(QStringLiteral("columns/workers"), m_workers->saveColumns());
    settings.setValue(QStringLiteral("columns/locks"), m_locks->saveColumns());
}

void MainWindow::restoreFrom(QSettings &settings)
{
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_laidOut = restoreState(settings.value(QStringLiteral("window/docks")).toByteArray(), LayoutVersion);
    setTheme(ThemeChoice(settings.value(QStringLiteral("window/theme"), int(ThemeChoice::System)).toInt()));
    m_jobs->restoreFilter(settings);
    m_jobs->table().restoreColumns(settings.value(QStringLiteral("columns/jobs")).toByteArray());
    m_workers->restoreColumns(settings.value(QStringLiteral("columns/workers")).toByteArray());
    m_locks->restoreColumns(settings.value(QStringLiteral("columns/locks")).toByteArray());
}

Target MainWindow::lastTarget(const QSettings &settings)
{
    Target target;
    target.connect = settings.value(QStringLiteral("target/servers")).toString();
    target.cluster = settings.value(QStringLiteral("target/cluster"), target.cluster).toByteArray();
    return target;
}

void MainWindow::showAbout()
{
    QMessageBox box(QMessageBox::NoIcon, tr("About Drover Console"), {}, QMessageBox::Close, this);
    box.setIconPixmap(applicationIcon().pixmap(64));
    box.setText(tr("Drover Console %1").arg(QStringLiteral(DROVER_VERSION)));
    box.setInformativeText(tr("The desktop of Drover, a distributed job scheduler on ZooKeeper.\n\n"
                              "Licensed under the Apache License 2.0. Built with Qt %1.")
                               .arg(QLatin1String(qVersion())));
    showPlainly(box);
    box.exec();
}

} // namespace drover::gui
