#include "gui/tasks/user.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <stdexcept>

namespace drover::test {

namespace {

QString plain(QString words)
{
    return words.remove(u'&');
}

bool isCalled(const QWidget &widget, const QString &name)
{
    return widget.isVisible() && widget.isEnabled() && plain(widget.accessibleName()) == name;
}

void fail(const QString &why)
{
    throw std::runtime_error(why.toStdString());
}

} // namespace

QString Effort::text() const
{
    QStringList parts;
    const auto add = [&parts](int count, const char *one, const char *many) {
        if (count > 0)
            parts << QString::number(count) + u' ' + QLatin1String(count == 1 ? one : many);
    };
    add(clicks, "click", "clicks");
    add(keys, "key", "keys");
    add(letters, "letter", "letters");
    add(turns, "turn of the wheel", "turns of the wheel");
    return parts.join(QStringLiteral(", "));
}

QWidget &User::front() const
{
    if (QWidget *const menu = QApplication::activePopupWidget())
        return *menu;
    if (QWidget *const dialog = QApplication::activeModalWidget())
        return *dialog;
    QWidget *const active = QApplication::activeWindow();
    return active ? *active : m_window;
}

// No other widget lies over it, and no dialog before its window.
bool User::isInSight(const QWidget &widget, const QPoint &place) const
{
    if (!widget.isVisible() || !widget.isEnabled() || widget.window() != &front())
        return false;
    const QWidget *const there = widget.window()->childAt(widget.mapTo(widget.window(), place));
    return widget.isWindow() || there == &widget || (there && widget.isAncestorOf(there));
}

void User::pressButton(QWidget &widget, const QPoint &place, Qt::MouseButton button, int times)
{
    if (!isInSight(widget, place))
        fail(QStringLiteral("something else lies there, or it is not enabled"));
    m_effort.clicks += times;
    QTest::mouseClick(&widget, button, Qt::NoModifier, place);
    if (times == 2)
        QTest::mouseDClick(&widget, button, Qt::NoModifier, place);
    if (button == Qt::RightButton) { // the desktop makes this of a click
        QContextMenuEvent menu(QContextMenuEvent::Mouse, place, widget.mapToGlobal(place));
        QApplication::sendEvent(&widget, &menu);
    }
}

bool User::clickMenuEntry(const QString &words)
{
    auto *const menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
    const QList<QAction *> entries = menu ? menu->actions() : QList<QAction *>();
    for (QAction *const entry : entries) {
        if (!entry->isVisible() || !entry->isEnabled() || plain(entry->text()) != words)
            continue;
        pressButton(*menu, menu->actionGeometry(entry).center(), Qt::LeftButton, 1);
        return true;
    }
    return false;
}

bool User::clickTab(const QString &words)
{
    const QList<QTabBar *> bars = front().findChildren<QTabBar *>();
    for (QTabBar *const bar : bars) {
        for (int tab = 0; tab < bar->count(); ++tab) {
            if (plain(bar->tabText(tab)) != words || !isInSight(*bar, bar->tabRect(tab).center()))
                continue;
            pressButton(*bar, bar->tabRect(tab).center(), Qt::LeftButton, 1);
            return true;
        }
    }
    return false;
}

bool User::clickButton(const QString &words)
{
    const QList<QAbstractButton *> buttons = front().findChildren<QAbstractButton *>();
    for (QAbstractButton *const button : buttons) {
        const bool isIt = plain(button->text()) == words || plain(button->accessibleName()) == words;
        if (!isIt || !isInSight(*button, button->rect().center()))
            continue;
        pressButton(*button, button->rect().center(), Qt::LeftButton, 1);
        return true;
    }
    return false;
}

void User::click(const QString &words)
{
    waitFor([&] { return clickMenuEntry(words) || clickTab(words) || clickButton(words); },
            QStringLiteral("“%1” to click").arg(words));
}

QModelIndex User::findCell(const QString &text, QAbstractItemView *&view) const
{
    const QList<QAbstractItemView *> views = front().findChildren<QAbstractItemView *>();
    for (QAbstractItemView *const one : views) {
        if (!one->isVisible() || !one->isEnabled() || !one->model() || one->model()->rowCount() == 0)
            continue;
        const QAbstractItemModel &model = *one->model();
        for (int column = 0; column < model.columnCount(); ++column) {
            const QModelIndexList found = model.match(model.index(0, column), Qt::DisplayRole, text, 1,
                                                      Qt::MatchExactly | Qt::MatchCaseSensitive | Qt::MatchRecursive);
            if (found.isEmpty() || one->visualRect(found.front()).isEmpty())
                continue;
            view = one;
            return found.front();
        }
    }
    return {};
}

// Turns the wheel over the view while the cell is beyond its edge. Null: there is no such cell yet.
QAbstractItemView *User::bringIntoSight(const QString &text, QPoint &place)
{
    constexpr int Notch = 120;
    constexpr int MostTurns = 1000;
    for (int turn = 0; turn < MostTurns; ++turn) {
        QAbstractItemView *view = nullptr;
        const QModelIndex cell = findCell(text, view);
        if (!cell.isValid())
            return nullptr;
        const QRect rect = view->visualRect(cell).intersected(view->viewport()->rect());
        place = rect.center();
        if (!rect.isEmpty() && isInSight(*view->viewport(), place))
            return view;
        const bool isBelow = view->visualRect(cell).top() > 0;
        const QPointF middle = view->viewport()->rect().center();
        QWheelEvent wheel(middle, view->viewport()->mapToGlobal(middle), {}, {0, isBelow ? -Notch : Notch},
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        const int before = view->verticalScrollBar()->value();
        QApplication::sendEvent(view->viewport(), &wheel);
        if (view->verticalScrollBar()->value() == before)
            return nullptr;
        ++m_effort.turns;
    }
    return nullptr;
}

void User::clickCell(const QString &text)
{
    QPoint place;
    QAbstractItemView *view = nullptr;
    waitFor([&] { return (view = bringIntoSight(text, place)); }, QStringLiteral("a cell “%1”").arg(text));
    pressButton(*view->viewport(), place, Qt::LeftButton, 1);
}

void User::doubleClickCell(const QString &text)
{
    QPoint place;
    QAbstractItemView *view = nullptr;
    waitFor([&] { return (view = bringIntoSight(text, place)); }, QStringLiteral("a cell “%1”").arg(text));
    pressButton(*view->viewport(), place, Qt::LeftButton, 2);
}

void User::openMenuOf(const QString &text)
{
    QPoint place;
    QAbstractItemView *view = nullptr;
    waitFor([&] { return (view = bringIntoSight(text, place)); }, QStringLiteral("a cell “%1”").arg(text));
    pressButton(*view->viewport(), place, Qt::RightButton, 1);
}

void User::clickField(const QString &name)
{
    QWidget *field = nullptr;
    const auto find = [&] {
        const QList<QWidget *> widgets = front().findChildren<QWidget *>();
        for (QWidget *const widget : widgets) {
            const auto *const label = qobject_cast<QLabel *>(widget);
            QWidget *const its = label && plain(label->text()) == name ? label->buddy()
                : isCalled(*widget, name)                              ? widget
                                                                       : nullptr;
            if (its && isInSight(*its, its->rect().center()))
                field = its;
        }
        return field != nullptr;
    };
    waitFor(find, QStringLiteral("a field “%1”").arg(name));
    pressButton(*field, field->rect().center(), Qt::LeftButton, 1);
}

void User::clickAt(QWidget &widget, const QPoint &place)
{
    waitFor([&] { return isInSight(widget, place); }, QStringLiteral("a place to click"));
    pressButton(widget, place, Qt::LeftButton, 1);
}

void User::press(const QKeySequence &keys)
{
    for (int i = 0; i < keys.count(); ++i) {
        QWidget &shown = front();
        QWidget *const goal = shown.focusWidget() ? shown.focusWidget() : &shown;
        ++m_effort.keys;
        QTest::keyClick(goal, keys[uint(i)].key(), keys[uint(i)].keyboardModifiers());
    }
}

void User::type(const QString &text)
{
    const auto field = [this] { return front().focusWidget(); };
    waitFor([&] { return field() && field()->isVisible() && field()->isEnabled(); },
            QStringLiteral("field with the keyboard to type “%1” into").arg(text));
    m_effort.letters += int(text.size());
    QTest::keyClicks(field(), text);
}

bool User::sees(const QString &words) const
{
    const QList<QLabel *> labels = front().findChildren<QLabel *>();
    const bool isSaid = std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) {
        return label->isVisible() && label->text().contains(words);
    });
    if (isSaid)
        return true;
    const QList<QAbstractItemView *> views = front().findChildren<QAbstractItemView *>();
    for (const QAbstractItemView *const view : views) {
        if (!view->isVisible() || !view->model())
            continue;
        const QAbstractItemModel &model = *view->model();
        for (int column = 0; column < model.columnCount(); ++column) {
            const QModelIndexList found =
                model.match(model.index(0, column), Qt::DisplayRole, words, -1, Qt::MatchContains);
            const QRect room = view->viewport()->rect();
            if (std::any_of(found.begin(), found.end(),
                            [&](const QModelIndex &cell) { return room.intersects(view->visualRect(cell)); }))
                return true;
        }
    }
    return false;
}

void User::look(const QString &words)
{
    waitFor([&] { return sees(words); }, QStringLiteral("“%1” to read").arg(words));
}

void User::waitFor(const std::function<bool()> &condition, const QString &what)
{
    if (!m_wait(condition))
        fail(QStringLiteral("there was no %1").arg(what));
}

} // namespace drover::test
