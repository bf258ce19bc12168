#pragma once

#include "gui/models/snapshot_model.h"

#include <QGraphicsView>

namespace drover::gui {

// A directed graph as a picture.
struct GraphPicture {
    struct Node {
        QString title;
        QString remark; // a line below
        Tone tone = Tone::Plain;
        bool isRound = false; // who does something; what it is done to has corners
        bool isOutlined = false; // it is part of what the user has to see
        bool isFilled = false; // what the picture is about
        friend bool operator==(const Node &, const Node &) = default;
    };
    struct Arrow {
        int from = 0; // places in `nodes`
        int to = 0;
        bool isDashed = false;
        bool isOutlined = false;
        QString word{}; // on it; a few letters, or empty
        friend bool operator==(const Arrow &, const Arrow &) = default;
    };
    std::vector<Node> nodes;
    std::vector<Arrow> arrows;

    friend bool operator==(const GraphPicture &, const GraphPicture &) = default;
};

// Shows a graph in columns, arrows leading to the right. It can be scrolled and, with Ctrl and the wheel or + and -,
// made larger and smaller. At first it fits: a graph that is a little too wide is made smaller, and a small one larger.
// The arrow keys go from node to node, which is announced, and Enter chooses the node.
// It is made for MaxNodes nodes; a page summarises the rest.
class GraphView final : public QGraphicsView
{
    Q_OBJECT

public:
    static constexpr std::size_t MaxNodes = 300;

    explicit GraphView(QWidget *parent = nullptr);

    void show(const GraphPicture &picture);
    void sayWhenEmpty(const QString &text);
    void setStale(bool stale);
    void setChosenByClick(); // instead of a double click
    void setTurns(); // while the view is higher than wide, arrows lead down instead of to the right
    int current() const { return m_current; } // the node to which the keys have gone; -1: none
    const GraphPicture &picture() const { return m_picture; }

Q_SIGNALS:
    void chosen(int node); // by a double click, or Enter

protected:
    void changeEvent(QEvent *event) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    void draw();
    QSizeF nodeSize() const;
    void drawNode(const GraphPicture::Node &node, int index, const QRectF &place);
    void drawArrow(const GraphPicture::Arrow &arrow, const QRectF &from, const QRectF &to, qreal lowest);
    void zoom(qreal factor);
    int nodeAt(const QPoint &place) const; // of the viewport; -1: none
    void goTo(int node);
    int next(int key) const; // the nearest node in that direction; -1: none
    bool areJoined(int one, int other) const;
    void addWord(const QString &word, const QColor &color, const QPointF &place);
    bool turn(); // whether arrows lead elsewhere now
    void markCurrent();
    void fit(); // unless the user has chosen a size

    GraphPicture m_picture;
    QString m_whenEmpty;
    bool m_stale = false;
    bool m_isZoomed = false; // by the user
    bool m_isChosenByClick = false;
    bool m_turns = false;
    bool m_leadsDown = false;
    bool m_isCentered = false; // on what the picture is about, since the view has got its size
    QPoint m_pressed; // where the mouse was pressed
    int m_current = -1;
    QString m_name; // that the owner gave it for assistive technologies; empty: no key was pressed yet
    std::vector<QRectF> m_places; // of the nodes, in the scene
    QGraphicsItem *m_mark = nullptr; // around the current node; the scene owns it
};

} // namespace drover::gui
