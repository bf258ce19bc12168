#include "gui/workspace/connection_control.h"

#include "gui/shell/action_registry.h"
#include "gui/shell/connection_state.h"
#include "gui/shell/gateway.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

namespace drover::gui {

ConnectionControl::ConnectionControl(ActionRegistry &actions, Gateway &gateway, KnownConnections &known)
    : m_gateway(gateway), m_known(known),
      m_edit(new QAction(lineIcon(QStringLiteral("unlocked")), tr("&Edit this cluster"), this)),
      m_colors(std::make_unique<QMenu>(tr("Co&lour of the connection")))
{
    m_edit->setCheckable(true);
    m_edit->setEnabled(false);
    connect(m_edit, &QAction::toggled, this, &ConnectionControl::edit);
    actions.add("connection.edit", m_edit, Qt::CTRL | Qt::Key_E);
    makeColors(actions);
}

ConnectionControl::~ConnectionControl() = default;

void ConnectionControl::makeColors(ActionRegistry &actions)
{
    auto *const group = new QActionGroup(this);
    for (const ConnectionColor color : AllConnectionColors) {
        const QString name = color == ConnectionColor::None ? QStringLiteral("none") : colorName(color);
        const QString title = tr("Connection: %1", "its colour").arg(colorTitle(color));
        QAction *const action =
            actions.add(qPrintable(u"connection.color."_qs + name), {}, title, {}, [this, color] { choose(color); });
        if (color != ConnectionColor::None)
            action->setIcon(dot(ConnectionLook{color}.fill(), 1));
        action->setCheckable(true);
        action->setEnabled(false);
        group->addAction(action);
        m_colors->addAction(action);
        m_colorActions.append(action);
    }
}

void ConnectionControl::use(const Target &target)
{
    m_shown = target;
    showChoice(m_known.use(target));
}

void ConnectionControl::showState(const ConnectionState &state)
{
    m_gateway.showState(state);
    ConnectionLook look = m_look;
    look.isOpen = state.isOpen();
    setLook(look);
}

void ConnectionControl::edit(bool editing)
{
    Connection &chosen = m_known.use(m_shown);
    chosen.isEditing = editing;
    showChoice(chosen);
}

void ConnectionControl::choose(ConnectionColor color)
{
    Connection &chosen = m_known.use(m_shown);
    chosen.color = color;
    showChoice(chosen);
}

void ConnectionControl::showChoice(const Connection &chosen)
{
    const Connection shown = chosen; // an action that is checked may have another put first
    m_gateway.setEditing(shown.isEditing);
    m_edit->setEnabled(true);
    m_edit->setChecked(shown.isEditing);
    for (std::size_t i = 0; i < AllConnectionColors.size(); ++i) {
        m_colorActions[qsizetype(i)]->setEnabled(true);
        m_colorActions[qsizetype(i)]->setChecked(AllConnectionColors[i] == shown.color);
    }
    setLook({shown.color, m_look.isOpen, shown.isEditing});
}

void ConnectionControl::setLook(const ConnectionLook &look)
{
    if (look == m_look)
        return;
    m_look = look;
    Q_EMIT lookChanged(look);
}

void ConnectionControl::showKnown()
{
    if (!m_shown.connect.isEmpty())
        use(m_shown);
}

} // namespace drover::gui
