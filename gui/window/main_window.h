#pragma once

#include "gui/widgets/theme.h"
#include "gui/window/console_models.h"
#include "gui/window/job_dialogs.h"

#include <QMainWindow>
#include <QTime>
#include <QTimer>

class QActionGroup;
class QLabel;
class QMenuBar;
class QSettings;

namespace drover::gui {

class ConnectionBar;
class DepthChart;
class JobPane;
class NodeView;
class Notice;
class TableView;
class ZnodeTree;

// Puts the views together. The models hold all that it shows. Requests of the user go to the session by queued slots;
// requests about jobs go through JobDialogs. The window changes jobs only: znodes are read-only.
class MainWindow final : public QMainWindow
{
    Q_OBJECT

public:
    // Both outlive the window.
    MainWindow(ConsoleModels &models, ConsoleSession &session, QWidget *parent = nullptr);
    ~MainWindow() override;

    void connectTo(const Target &target);
    void offerTarget(const Target &target); // fills the connection bar without connecting
    void setTheme(ThemeChoice choice); // saved
    void setThemeOnce(ThemeChoice choice); // not saved
    bool isConnected() const { return m_status.phase == SessionStatus::Phase::Connected; }

    void saveTo(QSettings &settings) const;
    void restoreFrom(QSettings &settings);
    // The target that was shown when the settings were saved; its servers are empty if there was none.
    static Target lastTarget(const QSettings &settings);

public Q_SLOTS:
    void showStatus(const drover::gui::SessionStatus &status);
    void restoreDefaultLayout();

Q_SIGNALS:
    void openWanted(const drover::gui::Target &target);
    void closeWanted();
    void nodeWanted(const drover::zk::Path &path);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void makePanes();
    void makeMenus();
    void wirePanes();
    void wireSession(ConsoleSession &session);
    QDockWidget *addDock(const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area);
    void updateEmptyStates();
    void updateStaleness();
    bool isStale() const;
    void updateTitle();
    void closeDialogs();
    void selectNode(const zk::Path &path);
    void notice();
    void showAbout();

    ConsoleModels &m_models;
    JobDialogs m_dialogs;
    SessionStatus m_status;
    bool m_laidOut = false; // the panes have their places
    Target m_shown; // the target that the tree has been opened at
    QTimer m_sampling;
    QTime m_lastConnected; // when the connection broke; null: nothing of this target has been shown
    ThemeChoice m_savedTheme = ThemeChoice::System;
    QString m_clusterTrouble;

    QMenuBar *m_menus = nullptr;
    ConnectionBar *m_connection = nullptr;
    Notice *m_notice = nullptr;
    JobPane *m_jobs = nullptr;
    ZnodeTree *m_tree = nullptr;
    NodeView *m_node = nullptr;
    DepthChart *m_chart = nullptr;
    TableView *m_workers = nullptr;
    TableView *m_locks = nullptr;
    QLabel *m_watches = nullptr;
    QActionGroup *m_themes = nullptr;
    std::vector<QDockWidget *> m_docks;
};

} // namespace drover::gui
