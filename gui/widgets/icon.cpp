#include "gui/widgets/icon.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QXmlStreamReader>

static void initIcons()
{
    Q_INIT_RESOURCE(icons); // a static library's resources are not found by themselves
}

namespace drover::gui {

namespace {

constexpr qreal ViewBox = 24;
constexpr qreal StrokeWidth = 1.75;

// The "d" of a path: absolute commands, each with its letter.
void addPath(QPainterPath &outline, const QString &commands)
{
    static const QRegularExpression token(QStringLiteral("([MLHVCZ])([^MLHVCZ]*)"));
    for (auto matches = token.globalMatch(commands); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        QList<qreal> n;
        const QStringList words = match.captured(2).split(u' ', Qt::SkipEmptyParts);
        for (const QString &word : words)
            n.append(word.toDouble());
        n.resize(6);
        switch (match.captured(1).front().unicode()) {
        case u'M':
            outline.moveTo(n[0], n[1]);
            break;
        case u'L':
            outline.lineTo(n[0], n[1]);
            break;
        case u'H':
            outline.lineTo(n[0], outline.currentPosition().y());
            break;
        case u'V':
            outline.lineTo(outline.currentPosition().x(), n[0]);
            break;
        case u'C':
            outline.cubicTo(n[0], n[1], n[2], n[3], n[4], n[5]);
            break;
        default:
            outline.closeSubpath();
        }
    }
}

QPainterPath outlineOf(const QString &name)
{
    initIcons();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    Q_ASSERT_X(file.exists(), "icon", qPrintable(name));
    file.open(QIODevice::ReadOnly);
    QPainterPath outline;
    for (QXmlStreamReader svg(&file); !svg.atEnd();) {
        if (svg.readNext() != QXmlStreamReader::StartElement)
            continue;
        const QXmlStreamAttributes attributes = svg.attributes();
        const auto number = [&](const char *attribute) {
            return attributes.value(QLatin1String(attribute)).toDouble();
        };
        if (svg.name() == u"path")
            addPath(outline, attributes.value(QLatin1String("d")).toString());
        else if (svg.name() == u"circle")
            outline.addEllipse(QPointF(number("cx"), number("cy")), number("r"), number("r"));
        else if (svg.name() == u"rect")
            outline.addRoundedRect(number("x"), number("y"), number("width"), number("height"), number("rx"),
                                   number("rx"));
    }
    return outline;
}

class Engine final : public QIconEngine
{
public:
    explicit Engine(const QString &name) : m_outline(outlineOf(name)) { }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state) override
    {
        const QPalette palette = QApplication::palette();
        const QColor color = mode == QIcon::Disabled ? palette.color(QPalette::PlaceholderText)
            : mode == QIcon::Selected                ? palette.color(QPalette::HighlightedText)
            : state == QIcon::On                     ? palette.color(QPalette::Link)
                                                     : palette.color(QPalette::WindowText);
        const qreal side = std::min(rect.width(), rect.height());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(QRectF(rect).center() - QPointF(side, side) / 2);
        painter->scale(side / ViewBox, side / ViewBox);
        painter->setPen(QPen(color, StrokeWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPath(m_outline);
        painter->restore();
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect({}, size), mode, state);
        return picture;
    }
    QIconEngine *clone() const override { return new Engine(*this); }

private:
    QPainterPath m_outline;
};

} // namespace

QIcon lineIcon(const QString &name)
{
    return QIcon(new Engine(name));
}

} // namespace drover::gui
