#pragma once

#include <QAccessible>
#include <QWidget>

#include <algorithm>

namespace drover::test {

// What a screen reader says of it before its value.
inline QString nameOf(const QAccessibleInterface &object)
{
    const QString name = object.text(QAccessible::Name).trimmed();
    const bool isItsValue = object.role() == QAccessible::ComboBox && name == object.text(QAccessible::Value);
    return isItsValue ? QString() : name;
}

// Whether it needs a name: the Tab key reaches it, or it is a picture.
inline bool needsName(const QAccessibleInterface &object)
{
    const auto *const widget = qobject_cast<const QWidget *>(object.object());
    if (!widget)
        return object.role() == QAccessible::Graphic;
    if (widget->objectName() == QStringLiteral("qt_msgboxex_icon_label"))
        return false; // Qt's, beside the words
    const bool isReached = (widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy() && !object.state().disabled;
    const bool isOurs = QByteArray(widget->metaObject()->className()).startsWith("drover::");
    const bool isPicture = object.role() == QAccessible::Graphic || (isOurs && object.childCount() == 0);
    return isReached || isPicture;
}

// Finds the visible objects at and below `object` that need a name and have none. Each is written as the classes of the
// widgets around it. Tables and lists are not walked through: the name of a cell is its text.
inline void findNameless(QAccessibleInterface *object, const QString &around, QStringList &found)
{
    if (!object || !object->isValid() || object->state().invisible)
        return;
    const QString path = around + u'/'
        + (object->object() ? QLatin1String(object->object()->metaObject()->className()) : QLatin1String("?"));
    if (needsName(*object) && nameOf(*object).isEmpty())
        found << path;
    constexpr QAccessible::Role ofCells[] = {QAccessible::Table, QAccessible::List, QAccessible::Tree};
    if (std::find(std::begin(ofCells), std::end(ofCells), object->role()) != std::end(ofCells))
        return;
    for (int i = 0; i < object->childCount(); ++i)
        findNameless(object->child(i), path, found);
}

inline QStringList namelessIn(QWidget &window)
{
    QStringList found;
    findNameless(QAccessible::queryAccessibleInterface(&window), {}, found);
    return found;
}

} // namespace drover::test
