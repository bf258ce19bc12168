#pragma once

#include <QPushButton>

class QAction;

namespace drover::gui {

// A button that does what an action does, while the action may be done.
class ActionButton final : public QPushButton
{
    Q_OBJECT

public:
    // `whenDisabled` is its tool tip while the action itself has nothing to act on.
    explicit ActionButton(QAction *action, const QString &whenDisabled = {});

private:
    void follow();

    QAction *m_action;
    QString m_whenDisabled;
};

// Whether the action is disabled because the user may not do it now. Its tool tip says why.
bool isRefused(const QAction &action);

} // namespace drover::gui
