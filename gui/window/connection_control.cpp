#include "gui/window/connection_control.h"

#include "gui/shell/action_registry.h"
#include "gui/shell/connection_state.h"
#include "gui/shell/gateway.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

namespace drover::gui {

ConnectionControl::ConnectionControl(ActionRegistry &actions, Gateway &gateway)
    : m_gateway(gateway), m_edit(new QAction(lineIcon(QStringLiteral("unlocked")), tr("&Edit this cluster"), this)),
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
    m_shown = &m_known.use(target);
    showChoice();
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
    m_shown->isEditing = editing;
    showChoice();
}

void ConnectionControl::choose(ConnectionColor color)
{
    m_shown->color = color;
    showChoice();
}

void ConnectionControl::showChoice()
{
    m_gateway.setEditing(m_shown->isEditing);
    m_edit->setEnabled(true);
    m_edit->setChecked(m_shown->isEditing);
    for (std::size_t i = 0; i < AllConnectionColors.size(); ++i) {
        m_colorActions[qsizetype(i)]->setEnabled(true);
        m_colorActions[qsizetype(i)]->setChecked(AllConnectionColors[i] == m_shown->color);
    }
    setLook({m_shown->color, m_look.isOpen, m_shown->isEditing});
}

void ConnectionControl::setLook(const ConnectionLook &look)
{
    if (look == m_look)
        return;
    m_look = look;
    Q_EMIT lookChanged(look);
}

void ConnectionControl::saveTo(QSettings &settings) const
{
    m_known.saveTo(settings);
}

void ConnectionControl::restoreFrom(QSettings &settings)
{
    const Connection shown = m_shown ? *m_shown : Connection();
    m_known.restoreFrom(settings);
    if (m_shown)
        use(shown.target);
}

} // namespace drover::gui
