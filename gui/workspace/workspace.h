#pragma once

#include "gui/shell/connection_state.h"
#include "gui/shell/gateway.h"
#include "gui/shell/shell.h"
#include "gui/workspace/cluster_commands.h"
#include "gui/workspace/connection_control.h"
#include "gui/workspace/job_dialogs.h"
#include "gui/workspace/notifier.h"
#include "gui/workspace/schedule_links.h"
#include "gui/workspace/workspace_pages.h"

#include <QTime>
#include <QTimer>
#include <QWidget>

class QMenu;
class QSettings;
class QStackedWidget;

namespace drover::gui {

class ChartLinks;
class CommandPalette;
class CredentialsControl;
class ConnectionBand;
class ConnectionBar;
class DialogTitles;
class DoctorLinks;
class EventLinks;
class FeedNeeds;
class InspectorLinks;
class Keyring;
class KnownConnections;
class LaunchLinks;
class Navigation;
class Notice;
class Page;
class PageWindow;
class ReplayLinks;
class SavedViews;
class StartView;
class StatusLine;

// One connection of the console, with all that belongs to it: pages, inspector, actions, menus, dialogs, the recording,
// and the switch of editing. A window has one workspace, and one more for each other tab.
//
// The models hold all that the pages show. Requests of the user go to the session by queued slots; requests about jobs
// go through JobDialogs. Changes of znodes go through the NodeEdits of their page. Whatever changes something asks the
// Gateway first. Nothing here reaches another workspace. Lives on the GUI thread.
class Workspace final : public QWidget
{
    Q_OBJECT

public:
    // What all workspaces of a window share; it outlives them.
    struct Common {
        const ActionRegistry &actions; // of the window
        KnownConnections &known;
        Keyring &keyring;
        SavedViews &views;
        QList<QMenu *> looks; // how all windows look
        // Shows the tab of that connection if a workspace other than `asking` has it. False: none has.
        std::function<bool(const Workspace &asking, const Target &target)> showOther;
    };

    // The models and the session outlive it.
    Workspace(ConsoleModels &models, ConsoleSession &session, const Common &common);
    ~Workspace() override;

    void setJobOptions(const jobs::JobOptions &options) // they outlive it
    {
        m_dialogs.setOptions(options);
        m_schedules->setOptions(options);
    }
    QString submitFile(const QString &path) { return m_dialogs.submitFile(path); } // what is wrong with it, or nothing
    LaunchLinks &launch() { return *m_launch; }
    ReplayLinks &replay() { return *m_replay; }
    ConsoleModels &models() { return m_models; }
    const ConsoleModels &models() const { return m_models; }
    const QList<QMenu *> &menus() const { return m_menus; } // destroyed with the workspace
    void connectTo(const Target &target);
    // No answer opens a dialog any more, the session closes, and a launch is interrupted. ended() follows.
    void end();
    void offerTarget(const Target &target); // fills the connection bar without connecting
    void keepCharts(const QString &path); // what the charts show outlives the program
    void setLocalTarget(const Target &target); // where a cluster of this machine is, or would be
    void setDesktop(Notifier::Desktop desktop); // shows its notifications
    StatusLine &line() const { return *m_statusLine; } // at the bottom
    bool showPage(const QString &name); // false: there is none of that name
    QStringList pageNames() const { return m_shell->pageNames(); }
    QString pageName() const; // of the one that is shown

    const Target &target() const { return m_shown; } // its servers are empty until the user has chosen a cluster
    const ConnectionState &state() const { return m_state; }
    bool isConnected() const { return m_status.phase == SessionStatus::Phase::Connected; }
    const ConnectionLook &look() const { return m_control->look(); }
    // The pages whose badge tells of trouble, each with it: "Locks: 1 deadlock".
    QStringList alerts() const { return m_shell->alerts(); }
    // What a user who closes the workspace now would lose, as a sentence each; empty: nothing.
    QStringList losses() const;

    // Whether its tab is the one that is shown. The pages of one that is not sleep.
    void setSeen(bool seen);
    void takeFocus(); // gives the keyboard to the part that had it last
    void openPalette();

    // Where each page is, and how it looks. The filter and the window of its own that a page has are restored only
    // `asItWas`: they are of one tab.
    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings, bool asItWas);
    QVariantMap windows() const { return m_shell->windows(); } // of pages, as Shell has them
    void openWindows(const QVariantMap &windows) { m_shell->openWindows(windows); }
    void showKnown() { m_control->showKnown(); } // once the remembered connections have been read
    // Takes over what is alike in all workspaces of a user: the rules that events are subscribed to, the bookmarks, and
    // which clusters are recorded.
    void adopt(const Workspace &other);

public Q_SLOTS:
    void showStatus(const drover::gui::SessionStatus &status);

Q_SIGNALS:
    void closeWanted();
    void ended(); // after end(): it can be destroyed without a wait. It may be said twice.
    void presentWanted(); // its tab is to be shown
    void tabChanged(); // what a tab says of it
    void sharedChanged(); // by the user: what others adopt
    void knownChanged(); // of a connection: it should be saved at once

private:
    void layOut();
    void makePages(ConsoleSession &session, const Common &common);
    void makeActions();
    void furnish(PageWindow *own);
    void toggleWindow();
    void showStart(bool shown);
    void wireSession(ConsoleSession &session);
    void wireParts(ConsoleSession &session);
    void showState();
    bool isStale() const;
    void updateTitle();
    void closeDialogs();
    void notice();

    ConsoleModels &m_models;
    std::function<bool(const Workspace &, const Target &)> m_showOther;
    Gateway m_gateway;
    JobDialogs m_dialogs;
    ClusterCommands m_commands;
    SessionStatus m_status;
    ConnectionState m_state; // that the pages show
    Target m_shown; // the target that the tree has been opened at
    QTimer m_sampling;
    QTime m_lastConnected; // when the connection broke; null: nothing of this target has been shown
    QString m_clusterTrouble;

    ActionRegistry *m_actions;
    ConnectionControl *m_control;
    CredentialsControl *m_credentials;
    QStackedWidget *m_center; // the start view, or the shell
    StartView *m_start;
    Shell *m_shell;
    Navigation *m_navigation;
    FeedNeeds *m_needs;
    InspectorLinks *m_inspector = nullptr;
    CommandPalette *m_palette;
    StatusLine *m_statusLine;
    QList<QMenu *> m_menus;
    ConnectionBand *m_band;
    ConnectionBar *m_connection;
    Notice *m_notice;
    WorkspacePages m_pages{};
    LaunchLinks *m_launch = nullptr;
    ScheduleLinks *m_schedules = nullptr;
    DoctorLinks *m_doctor = nullptr;
    ReplayLinks *m_replay = nullptr;
    EventLinks *m_events = nullptr;
    DialogTitles *m_titles = nullptr;
    ChartLinks *m_charts = nullptr;
};

} // namespace drover::gui
