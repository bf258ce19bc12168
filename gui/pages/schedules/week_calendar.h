#pragma once

#include <QDate>
#include <QWidget>

#include <vector>

namespace drover::gui {

class ScheduleModel;

// The next runs as a calendar: a column for today and for each of the next six days, the hours from above to below. A
// schedule that runs often is a line above the days. Times are local.
class WeekCalendar final : public QWidget
{
    Q_OBJECT

public:
    static constexpr int Days = 7;
    static constexpr std::size_t Often = 3; // runs a day, from which on a schedule is a line

    explicit WeekCalendar(const ScheduleModel &model, QWidget *parent = nullptr);

    void setStale(bool stale);
    QSize minimumSizeHint() const override { return {420, 200}; }
    QSize sizeHint() const override { return {700, 300}; }

    // One run, or in the line of a schedule all.
    struct Entry {
        int row = 0; // of the model
        qint64 at = 0; // the run; ms of the Unix epoch; 0: the line
        QRectF place{};
    };
    std::vector<Entry> entries() const; // as they are drawn now

Q_SIGNALS:
    void chosen(int row); // of the model, by a click on one of its runs

protected:
    bool event(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    struct Frame; // where the days and hours are

    Frame frame(std::size_t lines) const;
    void layDay(std::vector<Entry> &day, const Frame &frame) const;
    void paintGrid(QPainter &painter, const Frame &frame) const;
    void paintEntry(QPainter &painter, const Entry &entry) const;
    QString textOf(const Entry &entry) const;
    const Entry *entryAt(const std::vector<Entry> &all, const QPointF &place) const;
    void describe();

    const ScheduleModel &m_model;
    bool m_stale = false;
};

} // namespace drover::gui
