#pragma once

#include "gui/shell/connection_state.h"
#include "gui/shell/gateway.h"
#include "gui/window/cluster_commands.h"
#include "gui/window/console_models.h"
#include "gui/window/job_dialogs.h"

#include <QMainWindow>
#include <QTime>
#include <QTimer>

class QMenuBar;
class QSettings;
class QStackedWidget;

namespace drover::gui {

class ActionRegistry;
class ChartLinks;
class CommandPalette;
class ConnectionBand;
class ConnectionBar;
class ConnectionControl;
class DialogTitles;
class FeedNeeds;
class InspectorLinks;
class JobsPage;
class LanguageMenu;
class LaunchLinks;
class Navigation;
class Notice;
class OverviewPage;
class Page;
class PageWindow;
class QueuesPage;
class Shell;
class StartView;
class StatusLine;
class ThemeMenu;
class WorkersPage;
class ZnodesPage;

// Puts the pages together. The models hold all that they show. Requests of the user go to the session by queued slots;
// requests about jobs go through JobDialogs. InspectorLinks shows what is known of one thing. Changes of znodes go
// through the NodeEdits of their page. Whatever changes something asks the Gateway first.
class MainWindow final : public QMainWindow
{
    Q_OBJECT

public:
    // Both outlive the window.
    MainWindow(ConsoleModels &models, ConsoleSession &session, QWidget *parent = nullptr);
    ~MainWindow() override;

    void setJobOptions(const jobs::JobOptions &options) { m_dialogs.setOptions(options); } // they outlive the window
    QString submitFile(const QString &path) { return m_dialogs.submitFile(path); } // what is wrong with it, or nothing
    LaunchLinks &launch() { return *m_launch; }
    void connectTo(const Target &target);
    void offerTarget(const Target &target); // fills the connection bar without connecting
    ThemeMenu &theme() { return *m_theme; }
    void keepCharts(const QString &path); // what the charts show outlives the program
    void setLocalTarget(const Target &target); // where a cluster of this machine is, or would be
    bool showPage(const QString &name); // false: there is none of that name
    QStringList pageNames() const;
    bool isConnected() const { return m_status.phase == SessionStatus::Phase::Connected; }

    void saveTo(QSettings &settings) const;
    void restoreFrom(QSettings &settings);
    // The target that was shown when the settings were saved; its servers are empty if there was none.
    static Target lastTarget(const QSettings &settings);

public Q_SLOTS:
    void showStatus(const drover::gui::SessionStatus &status);

Q_SIGNALS:
    void openWanted(const drover::gui::Target &target);
    void closeWanted();

private:
    void makePages(ConsoleSession &session);
    void makeActions();
    void openPalette();
    void furnish(PageWindow *own);
    void toggleWindow();
    void wireStart();
    void showStart(bool shown);
    void wirePages(ConsoleSession &session);
    void wireSession(ConsoleSession &session);
    void showState();
    bool isStale() const;
    void updateTitle();
    void closeDialogs();
    void notice();

    ConsoleModels &m_models;
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
    QStackedWidget *m_center; // the start view, or the shell
    StartView *m_start;
    Shell *m_shell;
    Navigation *m_navigation;
    FeedNeeds *m_needs;
    InspectorLinks *m_inspector = nullptr;
    CommandPalette *m_palette;
    StatusLine *m_statusLine;
    QMenuBar *m_menus;
    ConnectionBand *m_band;
    ConnectionBar *m_connection;
    Notice *m_notice;
    OverviewPage *m_overview = nullptr;
    JobsPage *m_jobs = nullptr;
    QueuesPage *m_queues = nullptr;
    WorkersPage *m_workers = nullptr;
    LaunchLinks *m_launch = nullptr;
    ZnodesPage *m_znodes = nullptr;
    ThemeMenu *m_theme = nullptr;
    LanguageMenu *m_language = nullptr;
    DialogTitles *m_titles = nullptr;
    ChartLinks *m_charts = nullptr;
};

} // namespace drover::gui
