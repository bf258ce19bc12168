#pragma once

#include "gui/models/attempt_log.h"

#include <QTimer>
#include <QWidget>

class QScrollBar;

namespace drover::gui {

class WorkerModel;
struct TimeRuler;

// What ran on each worker in the last half hour, as far as this console has seen it. A worker is a line, and an attempt
// is a bar in the colour of its outcome. Attempts that ran at the same time lie one below the other. Where not all
// workers have room it says how many are not shown; the wheel and a scroll bar lead to them.
class WorkerTimeline final : public QWidget
{
    Q_OBJECT

public:
    static constexpr std::chrono::minutes Span{30};

    WorkerTimeline(const WorkerModel &workers, const AttemptLog &attempts, QWidget *parent = nullptr);

    // "21:55:30": the bars end there. Empty: they go on.
    void setStale(const QString &asOf);
    QSize minimumSizeHint() const override { return {260, 110}; }
    QSize sizeHint() const override { return {500, 180}; }

    struct Bar {
        AttemptLog::Run run;
        QRectF place{};
    };
    std::vector<Bar> bars() const; // as they are drawn now
    qsizetype notShown() const; // workers for which there is no room

Q_SIGNALS:
    void chosen(const QString &worker); // by a click on its line

protected:
    bool event(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    QStringList workersShown() const; // as many as there is room for, from the place of the scroll bar
    qsizetype room() const;
    void updateScroll();
    QRectF plot() const;
    QRectF lineOf(qsizetype worker) const;
    void layLine(std::vector<Bar> &line, const QRectF &area) const;
    QString textOf(const AttemptLog::Run &run) const;
    static QString outcomeOf(const SeenAttempt &attempt);
    qint64 now() const; // or when it became stale
    void describe();
    TimeRuler ruler() const;

    const WorkerModel &m_workers;
    const AttemptLog &m_attempts;
    QScrollBar *m_scroll; // in workers
    QTimer m_second; // the bars of what runs grow
    QString m_asOf;
    qint64 m_staleSince = 0; // 0: it is not
};

} // namespace drover::gui
