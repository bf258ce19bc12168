#include "gui/widgets/tile.h"

#include "gui/widgets/theme.h"

#include <QPainter>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

constexpr int Padding = 14;
constexpr qreal Radius = 8;

} // namespace

Tile::Tile(const QString &title, QWidget *picture) : m_hasPicture(picture != nullptr)
{
    setText(title);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, picture ? QSizePolicy::Expanding : QSizePolicy::Minimum);
    if (!picture)
        return;
    if (picture->focusPolicy() == Qt::NoFocus)
        picture->setAttribute(Qt::WA_TransparentForMouseEvents); // a click is the tile's
    else
        picture->setCursor(Qt::ArrowCursor);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(6, headHeight(), 6, 6);
    column->addWidget(picture);
}

void Tile::show(const QString &value, const QString &remark, Tone tone)
{
    const qsizetype lines = remarkLines().size();
    m_value = value;
    m_remark = remark;
    m_tone = tone;
    const QStringList words = QStringList(value) + remarkLines();
    setAccessibleName(
        tr("%1: %2", "title, value").arg(text(), remark.isEmpty() ? value : words.join(QStringLiteral(", "))));
    if (remarkLines().size() != lines)
        updateGeometry();
    update();
}

void Tile::setStale(bool stale)
{
    m_stale = stale;
    update();
}

QFont Tile::valueFont() const
{
    QFont large = font();
    large.setPointSizeF(font().pointSizeF() * 1.9);
    return large;
}

int Tile::headHeight() const
{
    return Padding + fontMetrics().height() + 4 + QFontMetrics(valueFont()).height() + 2
        + int(remarkLines().size()) * fontMetrics().height() + Padding;
}

QSize Tile::minimumSizeHint() const
{
    const QSize picture = m_hasPicture ? QSize(layout()->minimumSize().width(), 60) : QSize();
    return {std::max(fontMetrics().averageCharWidth() * 14, picture.width()), headHeight() + picture.height()};
}

QSize Tile::sizeHint() const
{
    return m_hasPicture ? layout()->sizeHint() : minimumSizeHint();
}

void Tile::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isHot = underMouse() || hasFocus();
    painter.setPen(QPen(isHot ? palette().color(QPalette::Link) : palette().color(QPalette::Mid), hasFocus() ? 2 : 1));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), Radius, Radius);

    QRect line(Padding, Padding, width() - 2 * Padding, fontMetrics().height());
    const auto write = [&](const QString &text, const QFont &font, const QColor &color) {
        const QFontMetrics metrics(font);
        line.setHeight(metrics.height());
        painter.setFont(font);
        painter.setPen(m_stale ? mutedText(palette()) : color);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, line.width()));
        line.translate(0, line.height());
    };
    write(text(), font(), mutedText(palette()));
    line.translate(0, 4);
    write(m_value, valueFont(), toneColor(m_tone, palette()));
    line.translate(0, 2);
    const QStringList remarks = remarkLines();
    for (const QString &remark : remarks)
        write(remark, font(), mutedText(palette()));
}

} // namespace drover::gui
