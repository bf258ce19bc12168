#include "gui/widgets/action_button.h"

#include "gui/text/format.h"

#include <QAction>
#include <QActionGroup>

namespace drover::gui {

namespace {

constexpr char NeedsEditing[] = "needsEditing";

} // namespace

ActionButton::ActionButton(QAction *action, const QString &whenDisabled, const QString &text)
    : m_action(action), m_whenDisabled(whenDisabled), m_text(text)
{
    connect(action, &QAction::changed, this, &ActionButton::follow);
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
    follow();
}

void ActionButton::follow()
{
    const QString title = QString(m_action->text()).remove(u'&'); // the menu has the mnemonic
    const QString keys = m_action->shortcut().toString(QKeySequence::NativeText);
    const QString rest = m_text.isEmpty() ? QString() : m_action->toolTip(); // what the button does not say
    setText(m_text.isEmpty() ? title : m_text);
    setEnabled(m_action->isEnabled());
    setToolTip(plainToolTip(isRefused(*m_action) ? m_action->toolTip()
                                : !isEnabled()   ? m_whenDisabled
                                : rest.isEmpty() ? keys
                                : keys.isEmpty() ? rest
                                                 : tr("%1 (%2)", "action, keys").arg(rest, keys)));
}

bool isRefused(const QAction &action)
{
    return action.actionGroup() && !action.actionGroup()->isEnabled();
}

bool needsEditing(const QAction &action)
{
    return action.property(NeedsEditing).toBool();
}

void setNeedsEditing(QAction &action, bool needs)
{
    action.setProperty(NeedsEditing, needs);
}

} // namespace drover::gui
