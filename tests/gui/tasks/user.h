#pragma once

#include <QKeySequence>
#include <QString>

#include <functional>

class QAbstractItemView;
class QModelIndex;
class QWidget;

namespace drover::test {

// What a user did to get something done.
struct Effort {
    int clicks = 0; // of a mouse button; a double click is two
    int keys = 0; // pressed: shortcuts, and keys that write no letter
    int letters = 0; // typed into a field
    int turns = 0; // of the wheel, a notch each

    // "2 clicks, 1 key, 12 letters"; what was not needed is left out.
    QString text() const;
};

// A person at a window who has a mouse and a keyboard, and nothing else. Each step is done on what is seen and enabled,
// in the window or in the dialog or menu in front of it, at a place where no other widget lies. It is counted. A step
// waits until it can be done, and throws std::runtime_error if that takes too long.
class User
{
public:
    // Lets time pass until the condition holds; false: it did not hold in time.
    using Wait = std::function<bool(const std::function<bool()> &condition)>;

    // `window` is shown, and outlives the user.
    User(QWidget &window, Wait wait) : m_window(window), m_wait(std::move(wait)) { }

    // A button, an entry of the rail, a tab, or an entry of the menu in front, by its words without mnemonics.
    void click(const QString &words);
    // A cell of a table or a tree by its text, which the wheel brings into sight.
    void clickCell(const QString &text);
    void doubleClickCell(const QString &text);
    void openMenuOf(const QString &text); // with the other button
    // A field by its accessible name, or by that of its label.
    void clickField(const QString &name);
    void clickAt(QWidget &widget, const QPoint &place);
    void press(const QKeySequence &keys); // each of them
    void type(const QString &text); // where the keyboard is

    bool sees(const QString &words) const; // a label or a cell in sight contains them
    // Waits for it.
    void look(const QString &words);
    void waitFor(const std::function<bool()> &condition, const QString &what);

    const Effort &effort() const { return m_effort; }

private:
    QWidget &front() const;
    bool isInSight(const QWidget &widget, const QPoint &place) const;
    bool clickMenuEntry(const QString &words);
    bool clickTab(const QString &words);
    bool clickButton(const QString &words);
    QModelIndex findCell(const QString &text, QAbstractItemView *&view) const;
    QAbstractItemView *bringIntoSight(const QString &text, QPoint &place);
    void pressButton(QWidget &widget, const QPoint &place, Qt::MouseButton button, int times);

    QWidget &m_window;
    const Wait m_wait;
    Effort m_effort;
};

} // namespace drover::test
