#include "gui/window/main_window.h"

#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/status_line.h"
#include "gui/text/entity_text.h"
#include "gui/views/saved_views.h"
#include "gui/widgets/accessible_combo.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/theme.h"
#include "gui/window/about_box.h"
#include "gui/window/cluster_tabs.h"
#include "gui/window/look/language_menu.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window/saved_tabs.h"
#include "gui/window/tray.h"

#include <QAction>
#include <QApplication>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace drover::gui {

using namespace std::chrono_literals;

MainWindow::MainWindow(const Backing &first, QWidget *parent)
    : QMainWindow(parent), m_views(new SavedViews(this)), m_actions(new ActionRegistry(*this, nullptr)),
      m_tray(new Tray(this)), m_row(new ClusterTabs), m_stack(new QStackedWidget)
{
    m_actions->setParent(this);
    nameComboBoxes();
    setWindowIcon(applicationIcon());
    makeActions();
    m_theme = new ThemeMenu(*m_actions, this);
    m_language = new LanguageMenu(*m_actions, this);
    connect(m_language, &LanguageMenu::said, this,
            [this](const QString &text, std::chrono::milliseconds duration) { shown().line().say(text, duration); });
    connect(m_views, &SavedViews::changed, this, [this] {
        if (m_layout)
            m_views->saveTo(*m_layout);
    });
    auto *const center = new QWidget;
    auto *const column = new QVBoxLayout(center);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_row);
    column->addWidget(m_stack, 1);
    setCentralWidget(center);
    connect(m_row, &ClusterTabs::chosen, this, [this](int index) { turnTo(std::size_t(index)); });
    connect(m_row, &ClusterTabs::closeWanted, this, [this](int index) { askToClose(std::size_t(index)); });
    connect(m_row, &ClusterTabs::newWanted, this, &MainWindow::openTab);
    connect(m_row, &ClusterTabs::moved, this, [this](int from, int to) {
        const Workspace *const current = &shown();
        Tab tab = std::move(m_tabs[std::size_t(from)]);
        m_tabs.erase(m_tabs.begin() + from);
        m_tabs.insert(m_tabs.begin() + to, std::move(tab));
        m_shown = indexOf(current);
    });
    connect(m_tray, &Tray::ruleUnwanted, this,
            [this](const QString &rule) { shown().models().subscriptions.remove(rule); });
    connect(m_tray, &Tray::eventsWanted, this, [this] {
        setWindowState(windowState() & ~Qt::WindowMinimized);
        show();
        raise();
        activateWindow();
        showPage(QStringLiteral("events"));
    });
    QToolButton *const finder = CommandPalette::newButton();
    connect(finder, &QToolButton::clicked, this, [this] { shown().openPalette(); });
    menuBar()->setCornerWidget(finder);
    add(first, 0);
    turnTo(0);
}

MainWindow::~MainWindow()
{
    for (const Tab &tab : m_tabs)
        tab.workspace->disconnect(this);
    m_closed.clear();
    m_tabs.clear(); // before the actions that they share
}

void MainWindow::makeActions()
{
    const auto add = [this](const char *name, const QString &icon, const QString &text, const QKeySequence &key,
                            std::function<void()> act) {
        return m_actions->add(name, icon.isEmpty() ? QIcon() : lineIcon(icon), text, key, std::move(act));
    };
    add("tab.new", QStringLiteral("plus"), tr("Open another cluster in a new &tab"), Qt::CTRL | Qt::Key_T,
        [this] { openTab(); });
    add("tab.close", QStringLiteral("close"), tr("Close the ta&b"), Qt::CTRL | Qt::Key_W,
        [this] { askToClose(used()); });
    add("tab.next", QStringLiteral("forward"), tr("To the &next tab"), {}, [this] {
        step(1);
    })->setShortcuts({Qt::CTRL | Qt::Key_PageDown, Qt::CTRL | Qt::Key_Tab});
    add("tab.previous", QStringLiteral("back"), tr("To the p&revious tab"), {}, [this] {
        step(-1);
    })->setShortcuts({Qt::CTRL | Qt::Key_PageUp, Qt::CTRL | Qt::SHIFT | Qt::Key_Tab});
    add("window.quit", {}, tr("&Quit"), Qt::CTRL | Qt::Key_Q, [this] { close(); });
    add("help.about", {}, tr("&About Drover Console"), {}, [this] { showAbout(this); });
    add("help.qt", {}, tr("About &Qt"), {}, [] { QApplication::aboutQt(); });
    for (const char *const name : {"tab.new", "tab.close", "tab.next", "tab.previous"})
        m_actions->find(QLatin1String(name))->setEnabled(false);
}

void MainWindow::setSource(BackingSource source)
{
    m_source = std::move(source);
    m_actions->find(QStringLiteral("tab.new"))->setEnabled(bool(m_source));
}

void MainWindow::prepare(const Preparation &preparation)
{
    m_preparations.push_back(preparation);
    for (const Tab &tab : m_tabs)
        preparation(*tab.workspace);
}

Workspace *MainWindow::add(const Backing &backing, std::size_t index)
{
    auto made = std::make_unique<Workspace>(
        *backing.models, *backing.session,
        Workspace::Common{*m_actions,
                          m_known,
                          m_keyring,
                          *m_views,
                          {m_theme, m_language},
                          [this](const Workspace &asking, const Target &target) { return showOther(asking, target); }});
    Workspace *const workspace = made.get();
    m_tabs.insert(m_tabs.begin() + std::ptrdiff_t(index), Tab{backing.owner, std::move(made)});
    m_row->insert(int(index));
    m_stack->addWidget(workspace);
    if (m_tabs.size() > 1) {
        m_shown += index <= m_shown ? 1 : 0;
        workspace->setSeen(false);
    }
    wire(workspace);
    describe(workspace);
    for (const Preparation &preparation : m_preparations)
        preparation(*workspace);
    for (const char *const name : {"tab.close", "tab.next", "tab.previous"})
        m_actions->find(QLatin1String(name))->setEnabled(m_tabs.size() > 1);
    return workspace;
}

void MainWindow::wire(Workspace *workspace)
{
    connect(workspace, &Workspace::tabChanged, this, [this, workspace] { describe(workspace); });
    connect(workspace, &QWidget::windowTitleChanged, this, [this, workspace] { describe(workspace); });
    connect(workspace, &Workspace::presentWanted, this, [this, workspace] { turnTo(indexOf(workspace)); });
    connect(workspace, &Workspace::knownChanged, this, [this] {
        if (m_layout)
            m_known.saveTo(*m_layout);
    });
    connect(workspace, &Workspace::sharedChanged, this, [this, workspace] { share(workspace); });
    workspace->setDesktop([this, workspace](const Notifier::Message &message) { m_tray->show(workspace, message); });
    const Subscriptions *const subscriptions = &workspace->models().subscriptions;
    connect(subscriptions, &Subscriptions::rulesChanged, m_tray, [this, subscriptions] {
        QStringList rules;
        for (const EventRule &rule : subscriptions->rules())
            rules << rule.text();
        m_tray->listRules(rules);
    });
}

Workspace *MainWindow::newTab(std::size_t index)
{
    try {
        Workspace *const workspace = add(m_source(), index);
        if (m_layout)
            workspace->restoreFrom(*m_layout, false);
        workspace->adopt(shown());
        return workspace;
    } catch (const std::exception &error) {
        shown().line().say(QString::fromUtf8(error.what()), 15s);
        return nullptr;
    }
}

// It begins as the one that is shown looks, but for its filter.
void MainWindow::openTab()
{
    if (m_layout)
        shown().saveTo(*m_layout);
    Workspace *const workspace = newTab(m_tabs.size());
    if (!workspace)
        return;
    turnTo(indexOf(workspace));
    workspace->takeFocus(); // also from the button in the row
}

void MainWindow::askToClose(std::size_t index)
{
    Workspace *const workspace = m_tabs[index].workspace.get();
    if (m_tabs.size() == 1)
        return;
    const QStringList losses = workspace->losses();
    if (losses.isEmpty())
        return drop(workspace);
    turnTo(index);
    auto *const dialog = new ChangeDialog(tr("Close a tab"),
                                          {tr("Close the tab of %1?").arg(targetText(workspace->target())),
                                           losses.join(u' '), tr("Close it"), tr("Leave it open")},
                                          workspace);
    dialog->makeDangerous();
    connect(dialog, &QDialog::accepted, this, [this, workspace] { drop(workspace); });
    dialog->open();
}

// The palette of the workspace, or a dialog of it, may be what has called this.
void MainWindow::drop(const Workspace *workspace)
{
    const std::size_t index = indexOf(workspace);
    if (m_tabs.size() == 1 || index == m_tabs.size())
        return;
    if (m_layout)
        workspace->saveTo(*m_layout);
    const bool wasShown = index == m_shown;
    if (wasShown)
        turnTo(index + 1 < m_tabs.size() ? index + 1 : index - 1);
    Tab closed = std::move(m_tabs[index]);
    m_tabs.erase(m_tabs.begin() + std::ptrdiff_t(index));
    m_shown -= index < m_shown ? 1 : 0;
    m_row->remove(int(index));
    m_row->setCurrent(int(m_shown));
    m_stack->removeWidget(closed.workspace.get());
    closed.workspace->disconnect(this);
    m_tray->forget(workspace);
    Workspace &gone = *closed.workspace;
    const QList<QWidget *> parts = gone.findChildren<QWidget *>();
    for (QWidget *const part : parts) {
        if (part->isWindow())
            part->hide();
    }
    m_closed.push_back(std::move(closed));
    connect(
        &gone, &Workspace::ended, this,
        [this, workspace] {
            std::erase_if(m_closed, [workspace](const Tab &tab) { return tab.workspace.get() == workspace; });
        },
        Qt::QueuedConnection);
    gone.end();
    for (const char *const name : {"tab.close", "tab.next", "tab.previous"})
        m_actions->find(QLatin1String(name))->setEnabled(m_tabs.size() > 1);
}

void MainWindow::turnTo(std::size_t index)
{
    Workspace *const next = m_tabs[index].workspace.get();
    if (next == m_stack->currentWidget() && !menuBar()->actions().isEmpty())
        return;
    m_shown = index;
    m_row->setCurrent(int(index));
    m_stack->setCurrentWidget(next);
    for (const Tab &tab : m_tabs) // now: who is seen may open a dialog
        tab.workspace->setSeen(tab.workspace.get() == next);
    menuBar()->clear();
    for (QMenu *const menu : next->menus())
        menuBar()->addMenu(menu);
    setWindowTitle(next->windowTitle());
    if (!m_row->isAncestorOf(focusWidget())) // whose arrow keys go on through the tabs
        next->takeFocus();
}

void MainWindow::step(int by)
{
    const auto count = std::ptrdiff_t(m_tabs.size());
    turnTo(std::size_t((std::ptrdiff_t(m_shown) + by + count) % count));
}

void MainWindow::share(const Workspace *from)
{
    for (const Tab &tab : m_tabs) {
        if (tab.workspace.get() != from)
            tab.workspace->adopt(*from);
    }
}

// The tab from which the user was led away is not kept if it has no cluster.
bool MainWindow::showOther(const Workspace &asking, const Target &target)
{
    const std::size_t index = indexOf(target);
    if (index == m_tabs.size() || m_tabs[index].workspace.get() == &asking)
        return false;
    Workspace &other = tab(index);
    turnTo(index);
    if (other.state().session.phase == SessionStatus::Phase::Disconnected)
        other.connectTo(target);
    if (asking.target().connect.isEmpty())
        drop(&asking);
    return true;
}

void MainWindow::open(const Target &target)
{
    const Target &here = shown().target();
    if (m_source && indexOf(target) == m_tabs.size() && !here.connect.isEmpty())
        openTab();
    connectTo(target);
}

void MainWindow::describe(const Workspace *workspace)
{
    const std::size_t index = indexOf(workspace);
    if (index == m_tabs.size())
        return;
    const Target &target = workspace->target();
    ClusterTab tab;
    if (!target.connect.isEmpty()) {
        tab = {QString::fromUtf8(target.cluster), targetText(target), workspace->state().session.phase,
               workspace->look(), workspace->alerts()};
    }
    m_row->show(int(index), tab);
    if (index == m_shown)
        setWindowTitle(workspace->windowTitle());
}

// A page in a window of its own may be what the user looks at.
std::size_t MainWindow::used() const
{
    const QWidget *const active = QApplication::activeWindow();
    const std::size_t its = active ? indexOf(active->parentWidget()) : m_tabs.size();
    return its < m_tabs.size() ? its : m_shown;
}

std::size_t MainWindow::indexOf(const Target &target) const
{
    return std::size_t(
        std::find_if(m_tabs.begin(), m_tabs.end(), [&](const Tab &tab) { return tab.workspace->target() == target; })
        - m_tabs.begin());
}

std::size_t MainWindow::indexOf(const QObject *workspace) const
{
    return std::size_t(
        std::find_if(m_tabs.begin(), m_tabs.end(), [&](const Tab &tab) { return tab.workspace.get() == workspace; })
        - m_tabs.begin());
}

// What the workspaces keep apart is kept of all; of what can be kept once, that of the one that is shown.
void MainWindow::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_theme->saveTo(settings);
    m_language->saveTo(settings);
    for (const Tab &tab : m_tabs) {
        if (tab.workspace.get() != &shown())
            tab.workspace->saveTo(settings);
    }
    shown().saveTo(settings);
    shown().models().subscriptions.saveTo(settings);
    m_known.saveTo(settings);
    m_views->saveTo(settings);
    QList<SavedTab> tabs;
    for (const Tab &tab : m_tabs) {
        const Workspace &one = *tab.workspace;
        if (!one.target().connect.isEmpty())
            tabs.append(SavedTab{one.target(), one.pageName(), &one == &shown(), one.windows()});
    }
    saveTabs(settings, tabs);
}

void MainWindow::restoreFrom(QSettings &settings)
{
    m_layout = std::make_unique<QSettings>(settings.fileName(), settings.format());
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_theme->restoreFrom(settings);
    m_language->restoreFrom(settings);
    m_known.restoreFrom(settings);
    m_views->restoreFrom(settings);
    shown().restoreFrom(settings, true);
    shown().models().subscriptions.restoreFrom(settings);
    for (const Tab &tab : m_tabs)
        tab.workspace->showKnown();
}

// The one that was shown has what a single window has, such as filters; it is connected last, so that it is the one
// that was used last.
bool MainWindow::restoreTabs(QSettings &settings)
{
    const QList<SavedTab> saved = tabsIn(settings);
    if (saved.isEmpty())
        return false;
    const auto marked = std::find_if(saved.begin(), saved.end(), [](const SavedTab &tab) { return tab.isShown; });
    const SavedTab &first = marked == saved.end() ? saved.front() : *marked;
    for (const SavedTab &tab : saved) {
        const auto index = std::size_t(&tab - saved.data());
        if (&tab == &first || !m_source)
            continue;
        if (Workspace *const workspace = newTab(std::min(index, m_tabs.size()))) {
            workspace->openWindows(tab.windows);
            workspace->showPage(tab.page);
            workspace->connectTo(tab.target);
        }
    }
    shown().connectTo(first.target);
    return true;
}

} // namespace drover::gui
