#include "gui/inspector/job_timeline.h"

#include "gui/inspector/job_facts.h"
#include "gui/models/job_model.h"
#include "gui/widgets/theme.h"
#include "text/quantity.h"

#include <QDateTime>
#include <QPainter>

namespace drover::gui {

namespace {

constexpr int BarHeight = 8;
constexpr int Gap = 4; // between bar and words

QString durationText(qint64 ms)
{
    return text::formatDuration(std::chrono::seconds(std::max<qint64>(0, ms) / 1000));
}

} // namespace

JobTimeline::JobTimeline(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&m_second, &QTimer::timeout, this, [this] {
        if (m_ended == 0)
            update();
    });
    m_second.start(std::chrono::seconds(1));
    hide();
}

void JobTimeline::show(const jobs::JobView &job)
{
    const std::optional<jobs::JobSpec> spec = specOf(job);
    m_state = job.state;
    m_attempt = job.claim ? job.claim->attempts.number() : job.attempts;
    m_submitted = (job.record ? job.record->submittedAt
                       : spec ? spec->submittedAt
                              : std::chrono::milliseconds(0))
                      .count();
    m_begun = job.record ? job.record->startedAt.count() : job.state == jobs::JobState::Running ? job.since.count() : 0;
    m_ended = job.record ? job.record->finishedAt.count() : 0;
    setVisible(m_submitted > 0 && !isArray(job));
    setAccessibleName(words());
    setToolTip(words());
    update();
}

qint64 JobTimeline::end() const
{
    return m_ended > 0 ? m_ended : QDateTime::currentMSecsSinceEpoch();
}

QString JobTimeline::words() const
{
    const QString waited = durationText((m_begun > 0 ? m_begun : end()) - m_submitted);
    if (m_begun == 0)
        return m_ended > 0 ? tr("ended after %1 without a run").arg(waited) : tr("waits for %1").arg(waited);
    const QString ran = durationText(end() - m_begun);
    const QString text =
        m_ended > 0 ? tr("waited %1, ran %2").arg(waited, ran) : tr("waited %1, runs for %2").arg(waited, ran);
    return m_attempt > 1 ? tr("%1, in attempt %2").arg(text).arg(m_attempt) : text;
}

QSize JobTimeline::sizeHint() const
{
    return {200, BarHeight + Gap + fontMetrics().height()};
}

void JobTimeline::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const double whole = double(std::max<qint64>(1, end() - m_submitted));
    const double share = m_begun > 0 ? std::clamp(double(m_begun - m_submitted) / whole, 0.0, 1.0) : 1.0;
    constexpr double Least = 3; // pixels of what was short
    const double split = m_begun > 0 ? std::clamp(share * width(), Least, width() - Least) : width();
    painter.fillRect(QRectF(0, 0, split, BarHeight), toneColor(Tone::Waiting, palette()));
    if (m_begun > 0)
        painter.fillRect(QRectF(split + 1, 0, width() - split - 1, BarHeight),
                         toneColor(jobStateTone(m_state), palette()));
    painter.setPen(mutedText(palette()));
    painter.drawText(QRect(0, BarHeight + Gap, width(), fontMetrics().height()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(words(), Qt::ElideRight, width()));
}

} // namespace drover::gui
