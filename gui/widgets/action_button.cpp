#include "gui/widgets/action_button.h"

#include <QAction>
#include <QActionGroup>

namespace drover::gui {

ActionButton::ActionButton(QAction *action, const QString &whenDisabled)
    : m_action(action), m_whenDisabled(whenDisabled)
{
    connect(action, &QAction::changed, this, &ActionButton::follow);
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
    follow();
}

void ActionButton::follow()
{
    setText(QString(m_action->text()).remove(u'&')); // the menu has the mnemonic
    setEnabled(m_action->isEnabled());
    setToolTip(isRefused(*m_action) ? m_action->toolTip()
                   : isEnabled()    ? m_action->shortcut().toString(QKeySequence::NativeText)
                                    : m_whenDisabled);
}

bool isRefused(const QAction &action)
{
    return action.actionGroup() && !action.actionGroup()->isEnabled();
}

} // namespace drover::gui
