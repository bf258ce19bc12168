#pragma once

#include "gui/data/entity.h"
#include "gui/shell/connection_state.h"

#include <QObject>

#include <map>

namespace drover::gui {

class ActionRegistry;
class ClusterCommands;
class ConnectionControl;
struct ConsoleModels;
class ConsoleSession;
class FeedNeeds;
class Gateway;
class Inspector;
class JobDetails;
class JobDialogs;
class Shell;

// Joins the inspector with the pages, the feeds and the commands: the panel of the window, and those in windows of
// their own. The panel follows the selection of the page that the user acts on.
class InspectorLinks final : public QObject
{
    Q_OBJECT

public:
    struct Parts {
        Shell &shell;
        ActionRegistry &actions;
        const ConsoleModels &models;
        ConsoleSession &session;
        FeedNeeds &needs;
        ConnectionControl &control;
        JobDialogs &dialogs;
        ClusterCommands &commands;
    };
    // A child of the window; all others outlive it.
    InspectorLinks(const Parts &parts, const Gateway &gateway, QObject *window);
    ~InspectorLinks() override;

    void open(const EntityRef &entity); // shows it in the panel, and gives it the keyboard
    void showState(const ConnectionState &state);
    void forget(); // another cluster is shown: windows of their own are closed

Q_SIGNALS:
    void nodeWanted(int viewer, const drover::zk::Path &path);
    void nodeUnwanted(int viewer);

private:
    Inspector *newInspector(bool isWindow);
    void wire(Inspector *inspector);
    void openWindow(const EntityRef &entity);
    void toggle();
    void goTo(const EntityRef &entity);
    void take(const EntityRef &entity, const QByteArray &offer);
    void takeOfJob(const EntityRef &job, const QByteArray &offer);
    void tellNeeds();
    void tellNode(const Inspector *inspector);

    Parts m_parts;
    const Gateway &m_gateway;
    ConnectionState m_state;
    JobDetails *m_details;
    Inspector *m_panel = nullptr;
    QList<Inspector *> m_all; // the panel is the first
    std::map<const Inspector *, int> m_viewers; // of the znode that it shows
};

} // namespace drover::gui
