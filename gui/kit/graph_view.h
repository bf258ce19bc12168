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
        friend bool operator==(const Node &, const Node &) = default;
    };
    struct Arrow {
        int from = 0; // places in `nodes`
        int to = 0;
        bool isDashed = false;
        bool isOutlined = false;
        friend bool operator==(const Arrow &, const Arrow &) = default;
    };
    std::vector<Node> nodes;
    std::vector<Arrow> arrows;

    friend bool operator==(const GraphPicture &, const GraphPicture &) = default;
};

// Shows a graph in columns, arrows leading to the right. It can be scrolled and, with Ctrl and the wheel or + and -,
// made larger and smaller. At first it fits: a graph that is a little too wide is made smaller, and a small one larger.
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
    const GraphPicture &picture() const { return m_picture; }

Q_SIGNALS:
    void chosen(int node); // by a double click

protected:
    void changeEvent(QEvent *event) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    void draw();
    QSizeF nodeSize() const;
    void drawNode(const GraphPicture::Node &node, int index, const QRectF &place);
    void drawArrow(const GraphPicture::Arrow &arrow, const QRectF &from, const QRectF &to, qreal lowest);
    void zoom(qreal factor);
    void fit(); // unless the user has chosen a size

    GraphPicture m_picture;
    QString m_whenEmpty;
    bool m_stale = false;
    bool m_isZoomed = false; // by the user
};

} // namespace drover::gui
