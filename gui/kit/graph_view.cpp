#include "gui/kit/graph_view.h"

#include "gui/kit/arrow_head.h"
#include "gui/kit/layered_layout.h"
#include "gui/text/format.h"
#include "gui/widgets/announce.h"
#include "gui/widgets/theme.h"

#include <QApplication>
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
constexpr qreal GapBelow = 46; // between columns that lie, for the arrows that lead down
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

QColor tinted(const QColor &base, const QColor &tint)
{
    const auto mixed = [](int a, int b) { return (a * 5 + b) / 6; };
    return {mixed(base.red(), tint.red()), mixed(base.green(), tint.green()), mixed(base.blue(), tint.blue())};
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
    const QString current = m_current < 0 ? QString() : m_picture.nodes[std::size_t(m_current)].title;
    m_picture = picture;
    const auto same = std::find_if(m_picture.nodes.begin(), m_picture.nodes.end(), [&current](const auto &node) {
        return !current.isEmpty() && node.title == current;
    });
    m_current = same == m_picture.nodes.end() ? -1 : int(same - m_picture.nodes.begin());
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

void GraphView::setChosenByClick()
{
    m_isChosenByClick = true;
}

void GraphView::setTurns()
{
    m_turns = true;
}

bool GraphView::turn()
{
    const bool leadsDown = m_turns && height() > width(); // with or without scroll bars
    return std::exchange(m_leadsDown, leadsDown) != leadsDown;
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
    m_mark = nullptr;
    std::vector<std::pair<int, int>> arrows;
    for (const GraphPicture::Arrow &arrow : m_picture.arrows)
        arrows.emplace_back(arrow.from, arrow.to);
    const LayeredLayout layout = LayeredLayout::of(m_picture.nodes.size(), arrows);
    const QSizeF size = nodeSize();
    const qreal step = size.height() + Between;
    m_places.clear();
    for (const LayeredLayout::Place &place : layout.places)
        m_places.emplace_back(
            m_leadsDown ? QPointF(place.row * (size.width() + Between), place.column * (size.height() + GapBelow))
                        : QPointF(place.column * (size.width() + Gap), place.row * step),
            size);
    for (const GraphPicture::Arrow &arrow : m_picture.arrows) {
        const LayeredLayout::Place &from = layout.places[std::size_t(arrow.from)];
        drawArrow(arrow, m_places[std::size_t(arrow.from)], m_places[std::size_t(arrow.to)],
                  from.lastRow * step + size.height());
    }
    for (std::size_t i = 0; i < m_places.size(); ++i)
        drawNode(m_picture.nodes[i], int(i), m_places[i]);
    markCurrent();
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
    const QColor base = palette().color(QPalette::Window);
    QGraphicsPathItem *const item = scene()->addPath(shape, pen, node.isFilled ? tinted(base, color) : base);
    item->setData(NodeKey, index);
    if (m_isChosenByClick)
        item->setCursor(Qt::PointingHandCursor);
    item->setToolTip(plainToolTip(node.title + u'\n' + node.remark));
    const qreal line = fontMetrics().height();
    const QRectF first(place.left(), place.top() + 7, place.width(), line);
    QFont bold = font();
    bold.setBold(true);
    const QColor plain = m_stale ? mutedText(palette()) : palette().color(QPalette::Text);
    addText(*scene(), node.title, bold, plain, first)->setData(NodeKey, index);
    addText(*scene(), node.remark, font(), color, first.translated(0, line))->setData(NodeKey, index);
}

// To the right from side to side, or down; back, in a bow below `lowest`, where the part of the graph ends.
void GraphView::drawArrow(const GraphPicture::Arrow &arrow, const QRectF &from, const QRectF &to, qreal lowest)
{
    const Tone tone = arrow.isOutlined ? Tone::Bad : Tone::Muted;
    const QColor color = m_stale ? mutedText(palette()) : toneColor(tone, palette());
    const bool leadsBack = m_leadsDown ? to.top() <= from.top() : to.left() <= from.left();
    QPainterPath path;
    QPointF end;
    if (leadsBack) {
        const QPointF begin(from.center().x(), from.bottom());
        end = QPointF(to.center().x(), to.bottom());
        const qreal depth = lowest + (lowest - std::min(begin.y(), end.y())) / 3 + 40; // of a cubic's handles
        path.moveTo(begin);
        path.cubicTo({begin.x(), depth}, {end.x(), depth}, end);
    } else if (m_leadsDown) {
        const QPointF begin(from.center().x(), from.bottom());
        end = QPointF(to.center().x(), to.top());
        path.moveTo(begin);
        path.cubicTo(begin + QPointF(0, GapBelow / 2), end - QPointF(0, GapBelow / 2), end);
    } else {
        const QPointF begin(from.right(), from.center().y());
        end = QPointF(to.left(), to.center().y());
        path.moveTo(begin);
        path.cubicTo(begin + QPointF(Gap / 2, 0), end - QPointF(Gap / 2, 0), end);
    }
    const QPen pen(color, arrow.isOutlined ? 2.5 : 1.5, arrow.isDashed ? Qt::DashLine : Qt::SolidLine);
    scene()->addPath(path, pen);
    const qreal direction = leadsBack ? -M_PI_2 : m_leadsDown ? M_PI_2 : 0;
    scene()->addPath(arrowHead(end, direction, HeadSize, HeadSpread), Qt::NoPen, color);
    if (!arrow.word.isEmpty())
        addWord(arrow.word, color, path.pointAtPercent(0.5));
}

// In the middle of the arrow, which it interrupts.
void GraphView::addWord(const QString &word, const QColor &color, const QPointF &place)
{
    QGraphicsSimpleTextItem *const text = new QGraphicsSimpleTextItem(word);
    text->setFont(font());
    text->setBrush(color);
    const QRectF size = text->boundingRect();
    text->setPos(place - size.center());
    const QBrush background = palette().brush(viewport()->backgroundRole()); // it gets the palette later
    scene()->addRect(text->sceneBoundingRect().adjusted(-3, 0, 3, 0), Qt::NoPen, background);
    scene()->addItem(text);
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
    const auto about = std::find_if(m_picture.nodes.begin(), m_picture.nodes.end(),
                                    [](const GraphPicture::Node &node) { return node.isFilled; });
    if (about != m_picture.nodes.end() && !std::exchange(m_isCentered, true))
        centerOn(m_places[std::size_t(about - m_picture.nodes.begin())].center());
}

void GraphView::resizeEvent(QResizeEvent *event)
{
    QGraphicsView::resizeEvent(event);
    m_isCentered = false;
    if (turn())
        draw();
    else
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
    const int key = event->key();
    const bool isPlain = !(event->modifiers() & ~Qt::KeypadModifier);
    const bool moves = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
    if (key == Qt::Key_Plus)
        zoom(1.25);
    else if (key == Qt::Key_Minus)
        zoom(0.8);
    else if (isPlain && moves && !m_places.empty())
        goTo(next(key));
    else if (m_current >= 0 && (key == Qt::Key_Return || key == Qt::Key_Enter))
        Q_EMIT chosen(m_current);
    else
        QGraphicsView::keyPressEvent(event);
}

bool GraphView::areJoined(int one, int other) const
{
    return std::any_of(m_picture.arrows.begin(), m_picture.arrows.end(), [=](const GraphPicture::Arrow &arrow) {
        return (arrow.from == one && arrow.to == other) || (arrow.from == other && arrow.to == one);
    });
}

// The keys along which the arrows lead follow one, if there is one. A step aside counts twice.
int GraphView::next(int key) const
{
    if (m_current < 0) {
        const auto about = std::find_if(m_picture.nodes.begin(), m_picture.nodes.end(),
                                        [](const GraphPicture::Node &node) { return node.isFilled; });
        return about == m_picture.nodes.end() ? 0 : int(about - m_picture.nodes.begin());
    }
    constexpr qreal Detour = 1e6;
    const bool isAcross = key == Qt::Key_Left || key == Qt::Key_Right;
    const QPointF from = m_places[std::size_t(m_current)].center();
    int nearest = -1;
    qreal least = 0;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const QPointF way = m_places[i].center() - from;
        const qreal sign = key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1;
        const qreal along = sign * (isAcross ? way.x() : way.y());
        const qreal aside = std::abs(isAcross ? way.y() : way.x());
        const qreal cost = along + 2 * aside + (isAcross != m_leadsDown && !areJoined(m_current, int(i)) ? Detour : 0);
        if (along > 1 && (nearest < 0 || cost < least)) {
            nearest = int(i);
            least = cost;
        }
    }
    return nearest;
}

void GraphView::goTo(int node)
{
    if (node < 0)
        return;
    m_current = node;
    markCurrent();
    constexpr int Beside = 30; // pixels
    ensureVisible(m_places[std::size_t(node)], Beside, Beside);
    if (m_name.isEmpty())
        m_name = accessibleName();
    const GraphPicture::Node &its = m_picture.nodes[std::size_t(node)];
    setAccessibleName(
        tr("%1: %2, %3", "a graph, one of its nodes, what is remarked on that").arg(m_name, its.title, its.remark));
    announce(*this);
}

void GraphView::markCurrent()
{
    delete std::exchange(m_mark, nullptr);
    if (m_current < 0)
        return;
    constexpr qreal Outside = 5;
    QPainterPath shape;
    shape.addRoundedRect(m_places[std::size_t(m_current)].adjusted(-Outside, -Outside, Outside, Outside), 8, 8);
    m_mark = scene()->addPath(shape, QPen(palette().color(QPalette::Highlight), 2, Qt::DotLine));
}

void GraphView::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ControlModifier)
        zoom(std::pow(1.0015, event->angleDelta().y()));
    else
        QGraphicsView::wheelEvent(event);
}

int GraphView::nodeAt(const QPoint &place) const
{
    const QList<QGraphicsItem *> below = items(place);
    for (const QGraphicsItem *const item : below) {
        if (const QVariant node = item->data(NodeKey); node.isValid())
            return node.toInt();
    }
    return -1;
}

void GraphView::mousePressEvent(QMouseEvent *event)
{
    m_pressed = event->pos();
    QGraphicsView::mousePressEvent(event);
}

void GraphView::mouseReleaseEvent(QMouseEvent *event)
{
    QGraphicsView::mouseReleaseEvent(event);
    const bool isClick = (event->pos() - m_pressed).manhattanLength() < QApplication::startDragDistance();
    const int node = nodeAt(event->pos());
    if (m_isChosenByClick && isClick && event->button() == Qt::LeftButton && node >= 0)
        Q_EMIT chosen(node);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const int node = nodeAt(event->pos());
    if (!m_isChosenByClick && node >= 0)
        Q_EMIT chosen(node);
}

} // namespace drover::gui
