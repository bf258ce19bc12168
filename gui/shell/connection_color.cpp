#include "gui/shell/connection_color.h"

#include "gui/widgets/theme.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

namespace {

// Each with a contrast of at least 4.5 : 1 to white text, and of 3 : 1 to the window, light or dark.
constexpr std::array<QRgb, AllConnectionColors.size()> Values{0,          0xffd32f3f, 0xffb85c08, 0xff1e8449,
                                                              0xff0e7f8a, 0xff2f75d0, 0xff8f55d6};

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
    constexpr std::array Titles{
        QT_TRANSLATE_NOOP("ConnectionColor", "No colour"), QT_TRANSLATE_NOOP("ConnectionColor", "Red"),
        QT_TRANSLATE_NOOP("ConnectionColor", "Orange"),    QT_TRANSLATE_NOOP("ConnectionColor", "Green"),
        QT_TRANSLATE_NOOP("ConnectionColor", "Teal"),      QT_TRANSLATE_NOOP("ConnectionColor", "Blue"),
        QT_TRANSLATE_NOOP("ConnectionColor", "Violet")};
    return QCoreApplication::translate("ConnectionColor", Titles[std::size_t(color)]);
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
