#pragma once

#include <QPushButton>

class QAction;

namespace drover::gui {

// A button that does what an action does, while the action may be done.
class ActionButton final : public QPushButton
{
    Q_OBJECT

public:
    // `whenDisabled` is its tool tip while the action itself has nothing to act on. `text` is what it says, if not the
    // text of the action.
    explicit ActionButton(QAction *action, const QString &whenDisabled = {}, const QString &text = {});

private:
    void follow();

    QAction *m_action;
    QString m_whenDisabled;
    QString m_text;
};

// Whether the action is disabled because the user may not do it now. Its tool tip says why.
bool isRefused(const QAction &action);
// Whether it is so only because editing is switched off.
bool needsEditing(const QAction &action);
void setNeedsEditing(QAction &action, bool needs);

} // namespace drover::gui
