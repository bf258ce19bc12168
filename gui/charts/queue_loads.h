#pragma once

#include "gui/charts/load_history.h"

#include <map>
#include <memory>

namespace drover::gui {

// How deep each queue of the connected cluster was, up to thirty days ago. There is a LoadHistory for each of
// MostQueues at most: the deepest ones when they came. Where there are more queues, an empty one gets no place: its
// jobs may not be listed yet. What is known of a queue that has gone is dropped; the file has it still (LoadKeeper). It
// lives on the GUI thread and does no I/O.
class QueueLoads final : public QObject
{
    Q_OBJECT

public:
    static constexpr std::size_t MostQueues = 16; // each takes half a megabyte at most

    explicit QueueLoads(LoadHistory::Clock clock = {}) : m_clock(std::move(clock)) { }

    // Its unfinished jobs, as LoadHistory::points(). None: it is not among those that are followed.
    std::vector<ChartPoint> points(const QByteArray &queue) const;
    std::size_t count() const { return m_queues.size(); } // of the queues that are followed

public Q_SLOTS:
    void show(const QList<drover::gui::QueueDepth> &queues); // none: nothing is known yet, and nothing changes
    void setConnected(bool connected);
    void sample(); // as LoadHistory::sample()
    void restore(const QByteArray &queue, const std::vector<drover::gui::LoadSample> &kept);
    void clear(); // for another cluster

Q_SIGNALS:
    void begun(const QByteArray &queue); // it is followed from now on: what was kept of it may be restored
    void sampled(const QByteArray &queue, const drover::gui::LoadSample &sample); // whose `ready` is the depth

private:
    void begin(const QByteArray &queue);

    const LoadHistory::Clock m_clock;
    std::map<QByteArray, std::unique_ptr<LoadHistory>> m_queues;
    bool m_isConnected = false;
};

} // namespace drover::gui
