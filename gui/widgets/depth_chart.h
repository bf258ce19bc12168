#pragma once

#include <QWidget>

namespace drover::gui {

class QueueHistory;
class SampleRing;

// The depth of each queue over the last five minutes: one line a queue, the latest value beside its name. Of more queues
// than there are colours, the deepest have lines of their own, and one line has the sum of the others. The axis begins
// at zero and ends at a round number.
class DepthChart final : public QWidget
{
    Q_OBJECT

public:
    explicit DepthChart(const QueueHistory &history, QWidget *parent = nullptr);

    QSize minimumSizeHint() const override { return {260, 140}; }
    QSize sizeHint() const override { return {420, 260}; }

    // Instead of lines, while there is no queue.
    void sayWhenEmpty(const QString &text);
    // "21:55:30": the depths are those of that time. Empty: they are of now.
    void setStale(const QString &asOf);

    // The round number at which an axis for values up to `maximum` ends, and the distance of its lines.
    struct Axis {
        qint64 end = 4;
        qint64 step = 1;
    };
    static Axis axisFor(qint64 maximum);

    // The legend of each line, as "gpu  6".
    QStringList legends() const;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Line {
        QString legend;
        QColor color;
        std::vector<const SampleRing *> rings; // whose sum it shows

        std::size_t size() const;
        qint64 at(std::size_t age) const; // 0: the newest
    };

    std::vector<Line> lines() const;
    QString legendOf(const QByteArray &queue, qint64 depth) const;
    QRectF paintLegend(QPainter &painter, const QRectF &area, const std::vector<Line> &lines) const; // what is left
    void paintGrid(QPainter &painter, const QRectF &plot, const Axis &axis) const;
    void paintSeries(QPainter &painter, const QRectF &plot, const Axis &axis, const std::vector<Line> &lines) const;

    const QueueHistory &m_history;
    QString m_whenEmpty;
    QString m_asOf;
};

} // namespace drover::gui
