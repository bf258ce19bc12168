#pragma once

#include <QColor>
#include <QWidget>

#include <chrono>

namespace drover::gui {

// Lines over time, which end now at the right, with the latest value of each beside its name. The axis begins at zero
// and ends at a round number. The subclass has the values.
class LineChart : public QWidget
{
    Q_OBJECT

public:
    // How many values there is room for, and how far apart they are.
    struct Span {
        std::size_t samples;
        std::chrono::milliseconds interval;
    };

    // `title` is the accessible name, and the heading if there is one.
    LineChart(const QString &title, Span span, QWidget *parent = nullptr);

    QSize minimumSizeHint() const override { return {200, 120}; }
    QSize sizeHint() const override { return {420, 260}; }

    void setHeading(bool shown) { m_hasHeading = shown; }
    // Instead of lines, while there is none.
    void sayWhenEmpty(const QString &text);
    // "21:55:30": the values are those of that time. Empty: they are of now.
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
    struct Line {
        QString legend;
        QColor color;
        std::vector<qint64> values; // the newest first; a negative one is unknown, and leaves a gap
    };

    virtual std::vector<Line> lines() const = 0;
    virtual QString valueText(qint64 value) const; // at the axis
    void paintEvent(QPaintEvent *event) override;

private:
    QRectF paintLegend(QPainter &painter, const QRectF &area, const std::vector<Line> &lines) const; // what is left
    void paintGrid(QPainter &painter, const QRectF &plot, const Axis &axis) const;
    void paintSeries(QPainter &painter, const QRectF &plot, const Axis &axis, const std::vector<Line> &lines) const;

    const QString m_title;
    const Span m_span;
    bool m_hasHeading = false;
    QString m_whenEmpty;
    QString m_asOf;
};

} // namespace drover::gui
