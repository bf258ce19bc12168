#include "gui/shell/connection_color.h"

#include "gui/widgets/theme.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

namespace {

// Each with a contrast of at least 4.5 : 1 to white text, and of 3 : 1 to the window, light or dark.
constexpr std::array<QRgb, AllConnectionColors.size()> Values{0,          0xffd32f3f, 0xffb85c08, 0xff1e8449,
                                                              0xff0e7f8a, 0xff2f75d0, 0xff8f55d6};

QString translated(const char *text)
{
    return QCoreApplication::translate("ConnectionColor", text);
}

} // namespace

QString colorName(ConnectionColor color)
{
    constexpr std::array Names{"", "red", "orange", "green", "teal", "blue", "violet"};
    return QLatin1String(Names[std::size_t(color)]);
}

ConnectionColor colorNamed(const QString &name)
{
    const auto found = std::find_if(AllConnectionColors.begin(), AllConnectionColors.end(),
                                    [&](ConnectionColor color) { return colorName(color) == name; });
    return found == AllConnectionColors.end() ? ConnectionColor::None : *found;
}

QString colorTitle(ConnectionColor color)
{
    switch (color) {
    case ConnectionColor::None:
        return translated(QT_TR_NOOP("No colour"));
    case ConnectionColor::Red:
        return translated(QT_TR_NOOP("Red"));
    case ConnectionColor::Orange:
        return translated(QT_TR_NOOP("Orange"));
    case ConnectionColor::Green:
        return translated(QT_TR_NOOP("Green"));
    case ConnectionColor::Teal:
        return translated(QT_TR_NOOP("Teal"));
    case ConnectionColor::Blue:
        return translated(QT_TR_NOOP("Blue"));
    case ConnectionColor::Violet:
        return translated(QT_TR_NOOP("Violet"));
    }
    return {};
}

QColor ConnectionLook::band(const QPalette &palette) const
{
    if (color != ConnectionColor::None)
        return QColor::fromRgb(Values[std::size_t(color)]);
    return isOpen ? toneColor(Tone::Waiting, palette) : QColor();
}

QColor ConnectionLook::fill() const
{
    return QColor::fromRgb(Values[std::size_t(color == ConnectionColor::None ? ConnectionColor::Orange : color)]);
}

} // namespace drover::gui
