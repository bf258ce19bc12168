#include "gui/inspector/job_timeline.h"

#include "gui/inspector/entity_facts.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/quantity.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

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

void JobTimeline::show(const jobs::JobView &job, const std::vector<Attempt> &attempts)
{
    const std::optional<jobs::JobSpec> spec = specOf(job);
    m_attempts = attempts;
    m_attempt = attempts.empty() ? 0 : attempts.back().last;
    m_submitted = (job.record ? job.record->submittedAt
                       : spec ? spec->submittedAt
                              : std::chrono::milliseconds(0))
                      .count();
    m_begun = job.record ? job.record->startedAt.count() : job.state == jobs::JobState::Running ? job.since.count() : 0;
    m_ended = job.record ? job.record->finishedAt.count() : 0;
    setVisible(m_submitted > 0 && !isArray(job));
    setAccessibleName(words());
    setToolTip(plainToolTip(words()));
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
    if (m_attempt < 2)
        return text;
    const bool isUnseen = std::ranges::any_of(m_attempts, [](const Attempt &attempt) { return !attempt.isKnown(); });
    return isUnseen ? tr("%1, in attempt %2; earlier ones were not seen").arg(text).arg(m_attempt)
                    : tr("%1, in attempt %2").arg(text).arg(m_attempt);
}

QSize JobTimeline::sizeHint() const
{
    return {200, BarHeight + Gap + fontMetrics().height()};
}

// Waiting fills what no attempt does. Each is at least a few pixels wide, so that a short one is seen.
std::vector<JobTimeline::Stretch> JobTimeline::stretches() const
{
    constexpr double Least = 3;
    const double scale = width() / double(std::max<qint64>(1, end() - m_submitted));
    const auto xOf = [&](qint64 at) { return std::clamp(double(at - m_submitted) * scale, 0.0, double(width())); };
    std::vector<Stretch> stretches;
    double filled = 0;
    const Attempt *unknown = nullptr;
    for (const Attempt &attempt : m_attempts) {
        if (!attempt.isKnown()) {
            unknown = &attempt; // they were somewhere before the next
            continue;
        }
        const double left = std::clamp(xOf(attempt.begun), filled, std::max(filled, width() - Least));
        if (left > filled)
            stretches.push_back({filled, left, std::exchange(unknown, nullptr)});
        const double right = attempt.ended > 0 ? xOf(attempt.ended) : width();
        filled = std::min(double(width()), std::max(right, left + Least));
        stretches.push_back({left, filled, &attempt});
    }
    if (filled < width() - 1)
        stretches.push_back({filled, double(width()), unknown});
    return stretches;
}

void JobTimeline::paintBar(QPainter &painter) const
{
    const std::vector<Stretch> all = stretches();
    for (const Stretch &stretch : all) {
        const QRectF place(stretch.left, 0, std::max(1.0, stretch.right - stretch.left - 1), BarHeight);
        const Tone tone = stretch.attempt ? stretch.attempt->tone : Tone::Waiting;
        const bool isKnown = !stretch.attempt || stretch.attempt->isKnown();
        QColor color = toneColor(tone, palette());
        if (!stretch.attempt)
            color.setAlphaF(0.35F); // nothing happens then
        painter.fillRect(place, isKnown ? QBrush(color) : QBrush(color, Qt::BDiagPattern));
    }
}

void JobTimeline::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintBar(painter);
    painter.setPen(mutedText(palette()));
    painter.drawText(QRect(0, BarHeight + Gap, width(), fontMetrics().height()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(words(), Qt::ElideRight, width()));
}

bool JobTimeline::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const double x = static_cast<QHelpEvent *>(event)->pos().x();
    const std::vector<Stretch> all = stretches();
    const auto its = std::ranges::find_if(all, [x](const Stretch &one) { return x < one.right; });
    const Attempt *const attempt = its == all.end() ? nullptr : its->attempt;
    setToolTip(plainToolTip(attempt ? textOf(*attempt) : words()));
    return QWidget::event(event);
}

} // namespace drover::gui
