#pragma once

#include "gui/data/chart_point.h"
#include "gui/data/snapshots.h"

#include <QObject>

#include <array>
#include <map>
#include <vector>

namespace drover::gui {

// The last minutes of one number: a ring of as many samples as a chart can show, the oldest overwritten.
class SampleRing
{
public:
    static constexpr std::size_t Capacity = 600;

    void append(qint64 value);
    void append(qint64 value, qint64 at); // ms of the Unix epoch
    std::size_t size() const { return m_size; }
    qint64 at(std::size_t age) const; // 0: the newest
    qint64 latest() const { return m_size == 0 ? 0 : at(0); }
    qint64 maximum() const;
    bool allZero() const;
    // In the order of time, for samples that come at such intervals: after a longer pause they are unknown at first.
    std::vector<ChartPoint> points(std::chrono::milliseconds interval) const;

private:
    std::array<ChartPoint, Capacity> m_samples{};
    std::size_t m_next = 0;
    std::size_t m_size = 0;
};

// How deep each queue was, sampled at even intervals whether anything changed or not: a chart moves because time does.
class QueueHistory final : public QObject
{
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds Interval{500};

    using QObject::QObject;

    const std::map<QByteArray, SampleRing> &series() const { return m_series; }
    QueueDepth now(const QByteArray &queue) const; // as it was shown last

public Q_SLOTS:
    // The first ones are sampled at once.
    void show(const QList<drover::gui::QueueDepth> &depths);
    // Samples the depths that were shown last. A queue that has gone counts as empty until the chart forgets it.
    void sample();
    void sampleAt(qint64 at); // ms of the Unix epoch
    void clear();

Q_SIGNALS:
    void sampled();

private:
    QList<QueueDepth> m_depths;
    std::map<QByteArray, SampleRing> m_series;
};

} // namespace drover::gui
