#pragma once

#include "gui/kit/time_ruler.h"
#include "gui/recording/recorded.h"

#include <QWidget>

namespace drover::gui {

// A stretch of time with the recorded spans, and hatched where nothing was recorded. One handle is the moment that is
// shown, the other the time since which events are listed. The mouse drags the nearer one; the arrow keys move the
// moment.
class TimeLine final : public QWidget
{
    Q_OBJECT

public:
    explicit TimeLine(QWidget *parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

    void showSpans(const QList<RecordedSpan> &spans);
    void setRange(qint64 from, qint64 until);
    void setHandles(qint64 since, qint64 moment);
    qint64 from() const { return m_from; }
    qint64 until() const { return m_until; }
    TimeRuler ruler() const; // the times below it, as they are drawn now

Q_SIGNALS:
    void momentChosen(qint64 at);
    void sinceChosen(qint64 since);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QRectF track() const;
    qreal placeOf(qint64 at) const;
    qint64 timeAt(qreal x) const;
    void choose(qreal x);
    void paintTrack(QPainter &painter) const;
    void paintHandles(QPainter &painter) const;
    void describe();

    QList<RecordedSpan> m_spans;
    qint64 m_from = 0;
    qint64 m_until = 1;
    qint64 m_since = 0;
    qint64 m_moment = 0;
    bool m_dragsSince = false;
};

} // namespace drover::gui
