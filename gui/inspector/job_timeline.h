#pragma once

#include "jobs/client/job_lookup.h"

#include <QTimer>
#include <QWidget>

namespace drover::gui {

// The life of a job as a bar: how long it waited, and how long its last attempt has run, or runs. The bar of a job that
// has not ended grows.
class JobTimeline final : public QWidget
{
    Q_OBJECT

public:
    explicit JobTimeline(QWidget *parent = nullptr);

    void show(const jobs::JobView &job); // hides itself if the times are not known
    QString words() const; // "waited 3m10s, ran 12s in attempt 2"
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    qint64 end() const; // of what is known: now, if the job has not ended

    qint64 m_submitted = 0; // ms of the Unix epoch, as are the next two; 0: not known
    qint64 m_begun = 0; // 0: not yet
    qint64 m_ended = 0; // 0: not yet
    int m_attempt = 0;
    jobs::JobState m_state = jobs::JobState::Ready;
    QTimer m_second;
};

} // namespace drover::gui
