#include "gui/widgets/announce.h"

#include <QAccessible>
#include <QWidget>

namespace drover::gui {

namespace {

std::function<void(const QWidget &)> &otherHearer()
{
    static std::function<void(const QWidget &)> hear;
    return hear;
}

} // namespace

void announce(QWidget &widget)
{
    QAccessibleEvent event(&widget, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
    if (otherHearer())
        otherHearer()(widget);
}

void alsoAnnounceTo(std::function<void(const QWidget &)> hear)
{
    otherHearer() = std::move(hear);
}

} // namespace drover::gui
