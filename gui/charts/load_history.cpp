#include "gui/charts/load_history.h"

#include "gui/charts/load_thinning.h"

#include <QDateTime>

#include <algorithm>
#include <numeric>

namespace drover::gui {

namespace {

constexpr qint64 Width = FreshWidth.count();
constexpr qint64 Minute = 60'000;
constexpr qint64 LeastSpan = 15'000; // ms of a rate: over less, one job would be a peak
constexpr std::size_t BetweenThinnings = 360; // samples

template <typename Member>
qint64 sumOf(const QList<QueueDepth> &queues, Member member)
{
    return std::accumulate(queues.begin(), queues.end(), qint64(0),
                           [member](qint64 sum, const QueueDepth &queue) { return sum + queue.*member; });
}

bool follows(const LoadSample &next, const LoadSample &sample)
{
    return next.at == sample.end();
}

// Of jobs a minute, over the last minute that is known without a gap. Unknown until LeastSpan of it is.
class Rate
{
public:
    qint64 with(const LoadSample &sample, qint64 jobs)
    {
        if (!m_kept.empty() && !follows(sample, m_kept.back().first))
            m_kept.clear();
        m_kept.emplace_back(sample, jobs);
        while (sample.end() - m_kept.front().first.end() >= Minute)
            m_kept.erase(m_kept.begin());
        const qint64 span = sample.end() - m_kept.front().first.at;
        if (span < LeastSpan)
            return ChartPoint::Unknown;
        const auto add = [](qint64 sum, const auto &one) { return sum + one.second; };
        const qint64 all = std::accumulate(m_kept.begin(), m_kept.end(), qint64(0), add);
        return (all * Minute + span / 2) / span;
    }

private:
    std::vector<std::pair<LoadSample, qint64>> m_kept;
};

} // namespace

LoadHistory::LoadHistory(Clock clock)
    : m_clock(clock ? std::move(clock) : [] { return QDateTime::currentMSecsSinceEpoch(); })
{
}

void LoadHistory::show(const QList<QueueDepth> &queues)
{
    m_queues = queues;
    if (!m_isConnected || queues.isEmpty() || m_isShown)
        return;
    m_isShown = true;
    begin(m_clock());
}

void LoadHistory::setConnected(bool connected)
{
    if (connected == m_isConnected)
        return;
    m_isConnected = connected;
    m_isShown = false;
    m_open = {};
    Q_EMIT changed();
}

void LoadHistory::begin(qint64 at)
{
    m_open = {.at = at / Width * Width, .width = Width};
    m_submitted = sumOf(m_queues, &QueueDepth::came);
    m_ended = sumOf(m_queues, &QueueDepth::left);
}

void LoadHistory::sample()
{
    const qint64 now = m_clock();
    if (!m_isShown || (now >= m_open.at && now < m_open.end()))
        return;
    const bool isLate = now < m_open.at || now >= m_open.end() + Width; // the clock was set, or the machine slept
    if (!isLate) {
        m_open.ready = sumOf(m_queues, &QueueDepth::ready);
        m_open.running = sumOf(m_queues, &QueueDepth::running);
        // A queue that has gone takes its counters with it.
        m_open.submitted = std::max<qint64>(0, sumOf(m_queues, &QueueDepth::came) - m_submitted);
        m_open.ended = std::max<qint64>(0, sumOf(m_queues, &QueueDepth::left) - m_ended);
        if (m_samples.empty() || m_samples.back().end() <= m_open.at) {
            m_samples.push_back(m_open);
            Q_EMIT sampled(m_open);
        }
        if (m_samples.size() % BetweenThinnings == 0)
            m_samples = keptAt(now, m_samples);
    }
    begin(now);
    Q_EMIT changed();
}

void LoadHistory::restore(const std::vector<LoadSample> &kept)
{
    const qint64 first = m_samples.empty() ? m_clock() : m_samples.front().at;
    std::vector<LoadSample> all;
    std::copy_if(kept.begin(), kept.end(), std::back_inserter(all),
                 [first](const LoadSample &sample) { return sample.end() <= first; });
    all.insert(all.end(), m_samples.begin(), m_samples.end());
    m_samples = std::move(all);
    Q_EMIT changed();
}

void LoadHistory::clear()
{
    m_samples.clear();
    m_queues.clear();
    m_isShown = false;
    m_open = {};
    Q_EMIT changed();
}

std::vector<ChartPoint> LoadHistory::points(Measure measure) const
{
    std::vector<ChartPoint> points;
    points.reserve(m_samples.size() + 1);
    Rate rate;
    const LoadSample *before = nullptr;
    for (const LoadSample &sample : m_samples) {
        if (before && !follows(sample, *before))
            points.push_back({before->end() + 1, ChartPoint::Unknown});
        before = &sample;
        const qint64 value = measure == Measure::Ready ? sample.ready
            : measure == Measure::Running              ? sample.running
            : measure == Measure::Submitted            ? rate.with(sample, sample.submitted)
                                                       : rate.with(sample, sample.ended);
        points.push_back({sample.end(), value});
    }
    if (before && before->end() + 3 * Width < m_clock())
        points.push_back({before->end() + 1, ChartPoint::Unknown});
    return points;
}

} // namespace drover::gui
