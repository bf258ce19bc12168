#pragma once

#include <QWidget>

namespace drover::gui {

class ScheduleModel;

// The runs of the recurring jobs over the next day, week or month: a line for each, those that run next first. Runs
// that lie too close to be drawn apart are a bar.
class RunTimeline final : public QWidget
{
    Q_OBJECT

public:
    enum class Span { Day, Week, Month };

    explicit RunTimeline(const ScheduleModel &model, QWidget *parent = nullptr);

    void setSpan(Span span);
    Span span() const { return m_span; }
    void setStale(bool stale);
    QSize minimumSizeHint() const override { return {260, 120}; }
    QSize sizeHint() const override { return {500, 190}; }
    // The rows in the order in which they are drawn, as many as there is room for.
    std::vector<int> rowsShown() const;
    qreal lineHeight(std::size_t rows) const; // of so many rows, in pixels: more where there is room

Q_SIGNALS:
    void chosen(int row); // of the model, by a click on its line

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

private:
    qint64 length() const; // milliseconds
    qreal leastHeight() const { return fontMetrics().height() + 6; } // of a line
    QRectF plot() const;
    void describe();
    void paintRuns(QPainter &painter, const QRectF &line, qint64 begin, int row) const;

    const ScheduleModel &m_model;
    Span m_span = Span::Day;
    bool m_stale = false;
};

} // namespace drover::gui
