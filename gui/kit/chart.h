#pragma once

#include "gui/kit/chart_scale.h"

#include <QColor>
#include <QWidget>

#include <optional>

namespace drover::gui {

// Lines over time. The axis of the values begins at zero and ends at a round number. The wheel shows less or more time
// about the pointer, dragging moves through time, and a double click, or Escape, goes back to now. Plus, minus, Left,
// Right and Home do so by keyboard. A line below the pointer has the values of its moment in words, beside it.
//
// The subclass has the lines. It calls update() where they have changed. Lives on the GUI thread and does no I/O.
class Chart : public QWidget
{
    Q_OBJECT

public:
    struct Series {
        QString name; // at the pointer
        QString legend; // its name and latest value, as "gpu  6"
        QColor color;
        std::vector<ChartPoint> points; // in the order of time
    };

    // `title` is the accessible name, and the heading if there is one. The spans are those of TimeWindow.
    Chart(const QString &title, const TimeWindow &window, QWidget *parent = nullptr);

    QSize minimumSizeHint() const override { return {200, 120}; }
    QSize sizeHint() const override { return {420, 260}; }

    void setHeading(bool shown) { m_hasHeading = shown; }
    // Instead of lines, while there is none.
    void sayWhenEmpty(const QString &text);
    // Where the legends need more than one line, they are the names alone: the values are elsewhere, too.
    void setBriefLegend(bool brief) { m_hasBriefLegend = brief; }
    // "21:55:30": the lines end there. Empty: they go on.
    void setStale(const QString &asOf);
    // Both show the same span of time and the same moment from now on, whichever the user moves.
    void moveWith(Chart &other);

    QStringList legends() const;
    // The words beside the pointer: "14:03:20: gpu 6, default not known".
    QString wordsAt(qint64 at) const;
    const TimeWindow &window() const { return m_window; }
    void setWindow(const TimeWindow &window); // without a signal

Q_SIGNALS:
    void windowChanged(const drover::gui::TimeWindow &window); // by the user
    void pointed(qint64 at); // at that moment; 0: at none

protected:
    virtual std::vector<Series> series() const = 0;
    virtual QString valueText(qint64 value) const;
    virtual qint64 clock() const; // ms of the Unix epoch
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    struct Frame; // where the axes are, and what they mean

    qint64 now() const; // or when it became stale
    qint64 momentAt(qreal x) const;
    Frame frameIn(const QRectF &area, const std::vector<Series> &series) const;
    QRectF paintLegend(QPainter &painter, const QRectF &area, const std::vector<Series> &series) const; // the rest
    void paintGrid(QPainter &painter, const Frame &frame) const;
    void paintSeries(QPainter &painter, const Frame &frame, const Series &series) const;
    void paintPointer(QPainter &painter, const Frame &frame) const;
    void change(const TimeWindow &window);
    void point(qint64 at);

    const QString m_title;
    TimeWindow m_window;
    bool m_hasBriefLegend = false;
    bool m_hasHeading = false;
    QString m_whenEmpty;
    QString m_asOf;
    qint64 m_staleSince = 0; // 0: it is not
    QRectF m_plot; // as it was painted last
    qint64 m_pointed = 0; // 0: nothing
    std::optional<qreal> m_dragged; // x of the last place
};

} // namespace drover::gui
