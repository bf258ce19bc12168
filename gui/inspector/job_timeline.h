#pragma once

#include "gui/inspector/attempts.h"

#include <QTimer>
#include <QWidget>

namespace drover::gui {

// The life of a job as a bar: how long it waited, and each attempt with its outcome. What is not known of attempts is
// hatched. The bar of a job that has not ended grows. A tool tip tells of the attempt below the pointer.
class JobTimeline final : public QWidget
{
    Q_OBJECT

public:
    explicit JobTimeline(QWidget *parent = nullptr);

    // Hides itself if the times are not known.
    void show(const jobs::JobView &job, const std::vector<Attempt> &attempts);
    QString words() const; // "waited 3m10s, ran 12s in attempt 2"
    QSize sizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    // A stretch of the bar, in pixels.
    struct Stretch {
        double left = 0;
        double right = 0;
        const Attempt *attempt = nullptr; // null: the job waits
    };

    qint64 end() const; // of what is known: now, if the job has not ended
    std::vector<Stretch> stretches() const;
    void paintBar(QPainter &painter) const;

    qint64 m_submitted = 0; // ms of the Unix epoch, as are the next two; 0: not known
    qint64 m_begun = 0; // the last attempt; 0: not yet
    qint64 m_ended = 0; // 0: not yet
    int m_attempt = 0;
    std::vector<Attempt> m_attempts;
    QTimer m_second;
};

} // namespace drover::gui
