#include "gui/kit/graph_view.h"

#include "gui/kit/arrow_head.h"
#include "gui/kit/layered_layout.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"

#include <QEvent>
#include <QGraphicsPathItem>
#include <QGraphicsSimpleTextItem>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <cmath>

namespace drover::gui {

namespace {

constexpr qreal Gap = 90; // between columns, for the arrows
constexpr qreal Between = 18; // nodes of a column
constexpr int Padding = 12; // beside the words of a node
constexpr int NodeKey = 0; // of QGraphicsItem::data()
constexpr qreal Smallest = 0.2;
constexpr qreal Largest = 3;
constexpr qreal HeadSize = 9; // of an arrow
constexpr qreal HeadSpread = 0.42; // radians

QGraphicsSimpleTextItem *addText(QGraphicsScene &scene, const QString &text, const QFont &font, const QColor &color,
                                 const QRectF &place)
{
    const QString shown = QFontMetrics(font).elidedText(text, Qt::ElideMiddle, int(place.width()) - 2 * Padding + 4);
    QGraphicsSimpleTextItem *const item = scene.addSimpleText(shown, font);
    item->setBrush(color);
    item->setPos(place.left() + (place.width() - item->boundingRect().width()) / 2, place.top());
    return item;
}

} // namespace

GraphView::GraphView(QWidget *parent) : QGraphicsView(parent)
{
    setScene(new QGraphicsScene(this));
    setFrameShape(NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setDragMode(ScrollHandDrag);
    setAlignment(Qt::AlignCenter);
    setTransformationAnchor(AnchorUnderMouse);
}

void GraphView::show(const GraphPicture &picture)
{
    if (picture == m_picture)
        return;
    m_picture = picture;
    draw();
}

void GraphView::sayWhenEmpty(const QString &text)
{
    m_whenEmpty = text;
    viewport()->update();
}

void GraphView::setStale(bool stale)
{
    if (std::exchange(m_stale, stale) != stale)
        draw();
}

void GraphView::changeEvent(QEvent *event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        draw();
}

// All are as wide as the widest needs, within bounds.
QSizeF GraphView::nodeSize() const
{
    QFont bold = font();
    bold.setBold(true);
    int widest = 0;
    for (const GraphPicture::Node &node : m_picture.nodes)
        widest = std::max(
            {widest, QFontMetrics(bold).horizontalAdvance(node.title), fontMetrics().horizontalAdvance(node.remark)});
    const int character = fontMetrics().averageCharWidth();
    return {qreal(std::clamp(widest + 2 * Padding, 16 * character, 40 * character)),
            qreal(2 * fontMetrics().height() + 14)};
}

void GraphView::draw()
{
    scene()->clear();
    std::vector<std::pair<int, int>> arrows;
    for (const GraphPicture::Arrow &arrow : m_picture.arrows)
        arrows.emplace_back(arrow.from, arrow.to);
    const LayeredLayout layout = LayeredLayout::of(m_picture.nodes.size(), arrows);
    const QSizeF size = nodeSize();
    const qreal step = size.height() + Between;
    std::vector<QRectF> places;
    for (const LayeredLayout::Place &place : layout.places)
        places.emplace_back(QPointF(place.column * (size.width() + Gap), place.row * step), size);
    for (const GraphPicture::Arrow &arrow : m_picture.arrows) {
        const LayeredLayout::Place &from = layout.places[std::size_t(arrow.from)];
        drawArrow(arrow, places[std::size_t(arrow.from)], places[std::size_t(arrow.to)],
                  from.lastRow * step + size.height());
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        drawNode(m_picture.nodes[i], int(i), places[i]);
    constexpr qreal Margin = 24;
    setSceneRect(scene()->itemsBoundingRect().adjusted(-Margin, -Margin, Margin, Margin));
    fit();
    viewport()->update();
}

void GraphView::drawNode(const GraphPicture::Node &node, int index, const QRectF &place)
{
    const QColor color = m_stale ? mutedText(palette()) : toneColor(node.tone, palette());
    QPainterPath shape;
    const qreal radius = node.isRound ? place.height() / 2 : 4;
    shape.addRoundedRect(place, radius, radius);
    const QPen pen(node.isOutlined && !m_stale ? toneColor(Tone::Bad, palette()) : color, node.isOutlined ? 3 : 1.5);
    QGraphicsPathItem *const item = scene()->addPath(shape, pen, palette().color(QPalette::Window));
    item->setData(NodeKey, index);
    item->setToolTip(plainToolTip(node.title + u'\n' + node.remark));
    const qreal line = fontMetrics().height();
    const QRectF first(place.left(), place.top() + 7, place.width(), line);
    QFont bold = font();
    bold.setBold(true);
    const QColor plain = m_stale ? mutedText(palette()) : palette().color(QPalette::Text);
    addText(*scene(), node.title, bold, plain, first)->setData(NodeKey, index);
    addText(*scene(), node.remark, font(), color, first.translated(0, line))->setData(NodeKey, index);
}

// To the right from side to side; back, in a bow below `lowest`, where the part of the graph ends.
void GraphView::drawArrow(const GraphPicture::Arrow &arrow, const QRectF &from, const QRectF &to, qreal lowest)
{
    const Tone tone = arrow.isOutlined ? Tone::Bad : Tone::Muted;
    const QColor color = m_stale ? mutedText(palette()) : toneColor(tone, palette());
    const bool leadsBack = to.left() <= from.left();
    QPainterPath path;
    QPointF end;
    if (leadsBack) {
        const QPointF begin(from.center().x(), from.bottom());
        end = QPointF(to.center().x(), to.bottom());
        const qreal depth = lowest + (lowest - std::min(begin.y(), end.y())) / 3 + 40; // of a cubic's handles
        path.moveTo(begin);
        path.cubicTo({begin.x(), depth}, {end.x(), depth}, end);
    } else {
        const QPointF begin(from.right(), from.center().y());
        end = QPointF(to.left(), to.center().y());
        path.moveTo(begin);
        path.cubicTo(begin + QPointF(Gap / 2, 0), end - QPointF(Gap / 2, 0), end);
    }
    const QPen pen(color, arrow.isOutlined ? 2.5 : 1.5, arrow.isDashed ? Qt::DashLine : Qt::SolidLine);
    scene()->addPath(path, pen);
    scene()->addPath(arrowHead(end, leadsBack ? -M_PI_2 : 0, HeadSize, HeadSpread), Qt::NoPen, color);
}

void GraphView::drawForeground(QPainter *painter, const QRectF &)
{
    if (!m_picture.nodes.empty())
        return;
    painter->resetTransform();
    painter->setPen(mutedText(palette()));
    painter->drawText(viewport()->rect(), Qt::AlignCenter | Qt::TextWordWrap, m_whenEmpty);
}

void GraphView::fit()
{
    constexpr qreal Readable = 0.7;
    constexpr qreal Large = 1.5; // of a graph that fills no page
    if (m_isZoomed || sceneRect().isEmpty())
        return;
    const qreal wide = viewport()->width() / sceneRect().width();
    const qreal high = viewport()->height() / sceneRect().height();
    const qreal factor = std::clamp(wide, Readable, std::clamp(high, qreal(1), Large));
    setTransform(QTransform::fromScale(factor, factor));
}

void GraphView::resizeEvent(QResizeEvent *event)
{
    QGraphicsView::resizeEvent(event);
    fit();
}

void GraphView::zoom(qreal factor)
{
    m_isZoomed = true;
    const qreal now = transform().m11();
    const qreal next = std::clamp(now * factor, Smallest, Largest);
    scale(next / now, next / now);
}

void GraphView::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Plus)
        zoom(1.25);
    else if (event->key() == Qt::Key_Minus)
        zoom(0.8);
    else
        QGraphicsView::keyPressEvent(event);
}

void GraphView::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ControlModifier)
        zoom(std::pow(1.0015, event->angleDelta().y()));
    else
        QGraphicsView::wheelEvent(event);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const QGraphicsItem *const item = itemAt(event->pos());
    const QVariant node = item ? item->data(NodeKey) : QVariant();
    if (node.isValid())
        Q_EMIT chosen(node.toInt());
}

} // namespace drover::gui
