#pragma once

#include "gui/credentials/keyring.h"
#include "gui/shell/known_connections.h"
#include "gui/workspace/console_models.h"
#include "gui/workspace/workspace.h"

#include <QMainWindow>
#include <QSettings>

#include <memory>

class QStackedWidget;

namespace drover::gui {

class ClusterTabs;
class LanguageMenu;
class ThemeMenu;
class Tray;

// The models and the session of one workspace. `owner` destroys both, on the GUI thread, after the workspace: first the
// models, then the session with its thread. Null: they outlive the window.
struct Backing {
    ConsoleModels *models = nullptr;
    ConsoleSession *session = nullptr;
    std::shared_ptr<void> owner{};
};

// The window of the console: a workspace, or several as tabs, one for each connection. It has what the workspaces
// share: the theme, the language, the icon in the tray, the saved views, and the connections that are remembered. The
// rules that events are subscribed to are alike in all. A tab that is closed ends its session and its thread. One that
// is hidden sleeps as a hidden page does.
class MainWindow final : public QMainWindow
{
    Q_OBJECT

public:
    // A backing for a further tab. It may throw; the message is shown.
    using BackingSource = std::function<Backing()>;
    using Preparation = std::function<void(Workspace &workspace)>;

    explicit MainWindow(const Backing &first, QWidget *parent = nullptr);
    // Both outlive the window.
    MainWindow(ConsoleModels &models, ConsoleSession &session) : MainWindow(Backing{&models, &session}) { }
    ~MainWindow() override;

    void setSource(BackingSource source); // without one there is one tab
    void prepare(const Preparation &preparation); // does that to each workspace, also to those to come
    Workspace &shown() const { return *m_tabs[m_shown].workspace; }
    std::size_t tabCount() const { return m_tabs.size(); }
    Workspace &tab(std::size_t index) const { return *m_tabs[index].workspace; }
    ThemeMenu &theme() { return *m_theme; }

    // Of the workspace that is shown.
    void connectTo(const Target &target) { shown().connectTo(target); }
    // Shows the tab of that connection, or a new one if the tab that is shown has another.
    void open(const Target &target);
    bool showPage(const QString &name) { return shown().showPage(name); } // false: there is none of that name
    QStringList pageNames() const { return shown().pageNames(); }
    bool isConnected() const { return shown().isConnected(); }

    void setFileNamed(const QByteArray &cluster) { m_known.setFileNamed(cluster); } // as KnownConnections

    void saveTo(QSettings &settings) const;
    void restoreFrom(QSettings &settings); // without connecting
    // Connects the tabs that were open when the settings were saved. False: there were none.
    bool restoreTabs(QSettings &settings);

private:
    struct Tab {
        std::shared_ptr<void> owner;
        std::unique_ptr<Workspace> workspace; // destroyed first
    };

    void makeActions();
    Workspace *add(const Backing &backing, std::size_t index);
    void wire(Workspace *workspace);
    void openTab();
    Workspace *newTab(std::size_t index); // null: it cannot be made, which is said
    void askToClose(std::size_t index);
    void drop(const Workspace *workspace);
    void turnTo(std::size_t index); // and gives it the keyboard
    void step(int by);
    void share(const Workspace *from);
    bool showOther(const Workspace &asking, const Target &target);
    void describe(const Workspace *workspace);
    std::size_t used() const; // the tab of the active window
    std::size_t indexOf(const QObject *workspace) const; // the count of tabs: it is none of them
    std::size_t indexOf(const Target &target) const; // as above

    KnownConnections m_known;
    Keyring m_keyring;
    SavedViews *m_views; // of the jobs
    ActionRegistry *m_actions;
    ThemeMenu *m_theme;
    LanguageMenu *m_language;
    Tray *m_tray;
    ClusterTabs *m_row;
    QStackedWidget *m_stack;
    BackingSource m_source;
    std::vector<Preparation> m_preparations;
    std::unique_ptr<QSettings> m_layout; // where that of a new tab comes from; null: it looks as at first
    std::vector<Tab> m_tabs; // in the order of the row
    std::size_t m_shown = 0;
    std::vector<Tab> m_closed; // to be destroyed once what closes them has returned, and their launches have ended
};

} // namespace drover::gui
