#include "gui/widgets/theme.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QFontDatabase>
#include <QPainter>
#include <QProxyStyle>
#include <QScrollArea>
#include <QStyleOption>

#include <array>

namespace drover::gui {

namespace {

struct Pair {
    QRgb light;
    QRgb dark;

    QColor in(const QPalette &palette) const { return QColor::fromRgb(isDark(palette) ? dark : light); }
};

constexpr std::array<Pair, 8> Series{{
    {0xff0f6cbd, 0xff5eb1ff},
    {0xffb5520a, 0xffffa24d},
    {0xff0f7b4d, 0xff4fd394},
    {0xff8a3ffc, 0xffc39bff},
    {0xffb3264a, 0xffff7d97},
    {0xff006f7a, 0xff3fd0dc},
    {0xff7a5c00, 0xffe0c04a},
    {0xff5a6270, 0xffaab4c2},
}};

struct Colors {
    QRgb window, base, alternate, text, button, muted, highlight, highlightedText, link, toolTip, mid;
};

constexpr Colors Light{0xfff3f4f6, 0xffffffff, 0xfff7f8fa, 0xff1c2430, 0xfffafbfc, 0xff646e7c,
                       0xff2f6fd0, 0xffffffff, 0xff0f5fb8, 0xffffffff, 0xffc3c8d0};
constexpr Colors Dark{0xff23272e, 0xff1b1e24, 0xff20242b, 0xffe3e7ed, 0xff2d323b, 0xff98a2b0,
                      0xff2f65b5, 0xffffffff, 0xff7ab8ff, 0xff2d323b, 0xff3c434e};

QPalette paletteOf(const Colors &colors)
{
    QPalette palette(QColor::fromRgb(colors.button), QColor::fromRgb(colors.window));
    const auto set = [&](QPalette::ColorRole role, QRgb color) { palette.setColor(role, QColor::fromRgb(color)); };
    set(QPalette::Window, colors.window);
    set(QPalette::Base, colors.base);
    set(QPalette::AlternateBase, colors.alternate);
    set(QPalette::Button, colors.button);
    set(QPalette::Mid, colors.mid);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
        set(role, colors.text);
    set(QPalette::PlaceholderText, colors.muted);
    set(QPalette::ToolTipBase, colors.toolTip);
    set(QPalette::Highlight, colors.highlight);
    set(QPalette::HighlightedText, colors.highlightedText);
    set(QPalette::Link, colors.link);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, QColor::fromRgb(colors.muted));
    return palette;
}

// The palette that the desktop gave us, before we set one.
const QPalette &systemPalette()
{
    static const QPalette palette = QApplication::palette();
    return palette;
}

void drawBorder(QPainter &painter, const QRect &field, const QStyleOption &option, bool isRound = false)
{
    const bool isFocused = option.state.testFlag(QStyle::State_HasFocus);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isFocused ? focusBorder(option.palette) : fieldBorder(option.palette));
    painter.setBrush(Qt::NoBrush);
    const QRectF line = QRectF(field).adjusted(0.5, 0.5, -0.5, -0.5);
    isRound ? painter.drawEllipse(line) : painter.drawRoundedRect(line, 2, 2);
    painter.restore();
}

// Fusion's border of a field is a darker window colour, which cannot be seen in a dark window.
class Style final : public QProxyStyle
{
public:
    Style() : QProxyStyle(QStringLiteral("Fusion")) { }

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override
    {
        const auto *const header = qstyleoption_cast<const QStyleOptionHeader *>(option);
        if (element == PE_IndicatorHeaderArrow && header && widget) { // Fusion has it above the middle
            QStyleOptionHeader arrow = *header;
            arrow.rect.moveCenter({arrow.rect.center().x(), widget->rect().center().y()});
            return QProxyStyle::drawPrimitive(element, &arrow, painter, widget);
        }
        if (element == PE_IndicatorTabClose) // Fusion's is red
            return drawCross(*painter, *option);
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        const bool isBox = element == PE_IndicatorCheckBox;
        const bool isField = element == PE_FrameLineEdit
            || (element == PE_Frame && qobject_cast<const QAbstractScrollArea *>(widget)
                && !qobject_cast<const QScrollArea *>(widget)); // a list, or a text of several lines
        if (isField || isBox || element == PE_IndicatorRadioButton)
            drawBorder(*painter, option->rect, *option, !isField && !isBox);
    }

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override
    {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        if (control == CC_SpinBox || control == CC_ComboBox)
            drawBorder(*painter, option->rect, *option);
    }

    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override
    {
        if (element != CE_HeaderSection && element != CE_HeaderEmptyArea)
            return QProxyStyle::drawControl(element, option, painter, widget);
        painter->save();
        painter->fillRect(option->rect, option->palette.color(QPalette::Window));
        const QRectF line = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
        painter->setPen(gridColor(option->palette));
        painter->drawLine(line.bottomLeft(), line.bottomRight());
        if (element == CE_HeaderSection)
            painter->drawLine(line.topRight() + QPointF(0, 4), line.bottomRight() - QPointF(0, 4));
        painter->restore();
    }

    // Air beside the words of cells and of the headers above them, by which these stand in one line.
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override
    {
        if (metric == PM_HeaderMargin)
            return Air;
        if (metric == PM_FocusFrameHMargin)
            return Air - 1; // a cell adds one
        return QProxyStyle::pixelMetric(metric, option, widget);
    }

    QRect subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const override
    {
        const QRect place = QProxyStyle::subElementRect(element, option, widget);
        if (element == SE_LineEditContents)
            return place.adjusted(2, 0, -2, 0);
        return place;
    }

    // Fusion has no more air beside the words of a button than it has above them.
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &contents,
                           const QWidget *widget) const override
    {
        const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
        return type == CT_PushButton ? size.expandedTo({contents.width() + ButtonAir, 0}) : size;
    }

private:
    static constexpr int Air = 6; // pixels
    static constexpr int ButtonAir = 24; // pixels: of both sides

    // With a ground while the mouse is on it.
    static void drawCross(QPainter &painter, const QStyleOption &option)
    {
        const QPointF center = QRectF(option.rect).center();
        const bool isPointedAt = option.state & (State_Raised | State_Sunken);
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        if (isPointedAt) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(gridColor(option.palette));
            painter.drawRoundedRect(QRectF(center - QPointF(8, 8), QSizeF(16, 16)), 4, 4);
        }
        painter.setPen(QPen(isPointedAt ? option.palette.color(QPalette::WindowText) : mutedText(option.palette), 1.5,
                            Qt::SolidLine, Qt::RoundCap));
        for (const qreal side : {-3.5, 3.5})
            painter.drawLine(center - QPointF(side, 3.5), center + QPointF(side, 3.5));
        painter.restore();
    }
};

} // namespace

void applyTheme(ThemeChoice choice)
{
    const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && isDark(systemPalette()));
    QApplication::setStyle(new Style);
    QApplication::setPalette(paletteOf(dark ? Dark : Light));
}

bool isDark(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

QColor toneColor(Tone tone, const QPalette &palette)
{
    switch (tone) {
    case Tone::Plain:
        return palette.color(QPalette::Text);
    case Tone::Muted:
        return mutedText(palette);
    case Tone::Good:
        return Pair{0xff12784a, 0xff4fd394}.in(palette);
    case Tone::Busy:
        return Pair{0xff0f6cbd, 0xff5eb1ff}.in(palette);
    case Tone::Waiting:
        return Pair{0xff8f5a00, 0xffe8b84a}.in(palette);
    case Tone::Bad:
        return Pair{0xffbf2238, 0xffff7d88}.in(palette);
    }
    return {};
}

QColor seriesColor(int index, const QPalette &palette)
{
    return Series[std::size_t(index) % Series.size()].in(palette);
}

QColor gridColor(const QPalette &palette)
{
    return Pair{0xffe3e6ea, 0xff333943}.in(palette);
}

QColor fieldBorder(const QPalette &palette)
{
    return Pair{0xff7f8793, 0xff8891a0}.in(palette);
}

QColor focusBorder(const QPalette &palette)
{
    return Pair{0xff2f6fd0, 0xff5eb1ff}.in(palette);
}

QColor mutedText(const QPalette &palette)
{
    return palette.color(QPalette::PlaceholderText);
}

QPixmap dot(const QColor &color, qreal devicePixelRatio)
{
    constexpr int Size = 14;
    QPixmap pixmap(QSize(Size, Size) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(QRectF(3, 3, Size - 6, Size - 6));
    return pixmap;
}

QFont fixedFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(QApplication::font().pointSizeF());
    return font;
}

// Three nodes under one: a small cluster.
QIcon applicationIcon()
{
    QIcon icon;
    for (const int size : {16, 32, 48, 64, 128}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.scale(size / 64.0, size / 64.0);
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(0x1f, 0x4f, 0x8f));
        painter.drawRoundedRect(QRectF(2, 2, 60, 60), 14, 14);
        painter.setPen(QPen(QColor(0xff, 0xff, 0xff, 0xb0), 3.5));
        for (const int x : {15, 32, 49})
            painter.drawLine(QPointF(32, 21), QPointF(x, 45));
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(0x5e, 0xe0, 0xa0));
        painter.drawEllipse(QPointF(32, 20), 8.5, 8.5);
        painter.setBrush(Qt::white);
        for (const int x : {15, 32, 49})
            painter.drawEllipse(QPointF(x, 46), 6.5, 6.5);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

} // namespace drover::gui
