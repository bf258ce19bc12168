#pragma once

#include <QWidget>

class QAction;
class QMenu;
class QPushButton;

namespace drover::gui {

class ActionButton;

// Buttons of actions, side by side. Those for which there is no room, from the last on, stand in the menu of a button
// "More" instead.
class VerbRow final : public QWidget
{
    Q_OBJECT

public:
    explicit VerbRow(QWidget *parent = nullptr);

    // Adds a button for the action. `text` is what it says, if the text of the action is too long for it.
    // `whenDisabled` is its tool tip while the action has nothing to act on.
    void add(QAction *action, const QString &text = {}, const QString &whenDisabled = {});

    QSize sizeHint() const override; // with room for all buttons
    QSize minimumSizeHint() const override; // with room for "More"

protected:
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();
    void fillMenu(qsizetype shown); // with the verbs behind the first so many
    int widthOf(qsizetype buttons) const; // of the first so many; pixels

    struct Verb {
        ActionButton *button;
        QAction *action;
    };
    QList<Verb> m_verbs;
    QPushButton *m_more;
    QMenu *m_menu;
};

} // namespace drover::gui
