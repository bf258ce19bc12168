#pragma once

#include "gui/data/chart_point.h"
#include "gui/data/load_sample.h"
#include "gui/data/snapshots.h"

#include <QObject>

#include <functional>
#include <vector>

namespace drover::gui {

// How busy the queues of the connected cluster were, up to thirty days ago. It samples what the queues were shown to
// be, and while there is no connection it samples nothing, which is a gap. It lives on the GUI thread and does no I/O:
// LoadKeeper has what is kept.
class LoadHistory final : public QObject
{
    Q_OBJECT

public:
    // The last two: jobs a minute, which are not known in the first quarter of a minute after a gap.
    enum class Measure { Ready, Running, Submitted, Ended };
    using Clock = std::function<qint64()>; // ms of the Unix epoch

    explicit LoadHistory(Clock clock = {});

    // The lines of a chart. Its points are those of the samples, with a gap after each that no other follows.
    std::vector<ChartPoint> points(Measure measure) const;
    const std::vector<LoadSample> &samples() const { return m_samples; }

public Q_SLOTS:
    void show(const QList<drover::gui::QueueDepth> &queues);
    void setConnected(bool connected); // false: what was shown is no longer so
    // Ends a sample if its time has come; to be called at least once in FreshWidth.
    void sample();
    // What was kept of this cluster before.
    void restore(const std::vector<drover::gui::LoadSample> &kept);
    void clear(); // for another cluster

Q_SIGNALS:
    void sampled(const drover::gui::LoadSample &sample);
    void changed();

private:
    void begin(qint64 at);

    const Clock m_clock;
    std::vector<LoadSample> m_samples; // in the order of time
    bool m_isConnected = false;
    bool m_isShown = false; // the queues are known since the connection began
    QList<QueueDepth> m_queues; // as shown last
    LoadSample m_open; // the sample under way; its width is 0 if there is none
    qint64 m_submitted = 0; // by the feed's counters, when the sample under way began
    qint64 m_ended = 0;
};

} // namespace drover::gui
