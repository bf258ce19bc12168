#pragma once

#include "gui/shell/connection_color.h"
#include "gui/shell/known_connections.h"

#include <QObject>

#include <memory>

class QAction;
class QMenu;

namespace drover::gui {

class ActionRegistry;
struct ConnectionState;
class Gateway;

// What the user chooses for the connection that is shown: whether it may be edited, and its colour. Both are
// remembered for each connection.
class ConnectionControl final : public QObject
{
    Q_OBJECT

public:
    // All of them outlive it. Several controls share what is known; no two show the same connection.
    ConnectionControl(ActionRegistry &actions, Gateway &gateway, KnownConnections &known);
    ~ConnectionControl() override;

    QAction *editAction() const { return m_edit; }
    QMenu *colorMenu() const { return m_colors.get(); }
    const ConnectionLook &look() const { return m_look; }
    const QList<Connection> &known() const { return m_known.all(); }
    void use(const Target &target); // is shown from now on
    void showState(const ConnectionState &state);

    void showKnown(); // once what is remembered has been read

Q_SIGNALS:
    void lookChanged(const drover::gui::ConnectionLook &look);

private:
    void makeColors(ActionRegistry &actions);
    void edit(bool editing);
    void choose(ConnectionColor color);
    void showChoice(const Connection &chosen);
    void setLook(const ConnectionLook &look);

    Gateway &m_gateway;
    KnownConnections &m_known;
    Target m_shown; // its servers are empty while none is shown
    ConnectionLook m_look;
    QAction *m_edit;
    std::unique_ptr<QMenu> m_colors;
    QList<QAction *> m_colorActions; // in the order of AllConnectionColors
};

} // namespace drover::gui
