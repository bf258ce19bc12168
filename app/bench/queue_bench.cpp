#include "app/bench/benches.h"
#include "app/bench/figures/distribution.h"
#include "app/bench/setup/participants.h"
#include "recipes/queues/queue.h"

#include <stdexcept>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr int ItemSize = 100;
constexpr std::size_t MostUnderWay = 4000;

// What was offered when, and which of it has arrived. An item is its number, filled up with blanks.
class Deliveries
{
public:
    explicit Deliveries(async::Loop &loop) : m_loop(loop) { }

    QByteArray make()
    {
        m_offered.push_back(m_loop.now());
        m_arrived.push_back(false);
        return QByteArray::number(static_cast<qint64>(m_offered.size() - 1)).leftJustified(ItemSize, ' ');
    }

    // Throws std::logic_error.
    void take(const QByteArray &item)
    {
        const auto number = static_cast<std::size_t>(item.trimmed().toLongLong());
        if (number >= m_offered.size() || m_arrived[number])
            throw std::logic_error("the queue delivered an item twice, or one that was never offered");
        m_arrived[number] = true;
        if (m_measuring)
            m_times.add(m_loop.now() - m_offered[number]);
        ++m_taken;
        m_progress.notify();
    }

    std::size_t underWay() const { return m_offered.size() - m_taken; }
    async::Event &progress() { return m_progress; }
    void measure(bool on) { m_measuring = on; }
    const Distribution &times() const { return m_times; }

private:
    async::Loop &m_loop;
    std::vector<async::TimePoint> m_offered;
    std::vector<bool> m_arrived;
    std::size_t m_taken = 0;
    bool m_measuring = false;
    Distribution m_times;
    async::Event m_progress;
};

async::Task<void> produce(zk::Client &zk, zk::Path directory, int batch, Deliveries &deliveries,
                          Participants &participants)
{
    recipes::Queue queue(zk, directory);
    for (bool first = true; !participants.isOver(); first = false) {
        QByteArrayList items;
        for (int i = 0; i < batch; ++i)
            items.append(deliveries.make());
        co_await queue.offerAll(items);
        if (first)
            participants.noteWarm();
        while (deliveries.underWay() > MostUnderWay && !participants.isOver())
            co_await deliveries.progress().wait();
    }
}

async::Task<void> consume(zk::Client &zk, zk::Path directory, int batch, Deliveries &deliveries, qint64 &taken)
{
    recipes::Queue queue(zk, directory);
    for (;;) {
        const QByteArrayList items = co_await queue.takeSome(batch);
        for (const QByteArray &item : items)
            deliveries.take(item);
        taken += items.size();
    }
}

} // namespace

async::Task<Figures> measureQueue(std::vector<zk::Client *> sessions, QueueBenchOptions options)
{
    async::Loop &loop = sessions.front()->loop();
    co_await sessions.front()->ensurePath(options.directory);
    const auto producers = static_cast<std::size_t>(options.producers);
    Deliveries deliveries(loop);
    std::vector<qint64> taken(sessions.size() - producers);
    Participants participants(options.producers);
    async::TaskGroup consumers([&](const std::exception_ptr &error) {
        participants.fail(error);
        deliveries.progress().notify();
    });
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        if (i < producers)
            participants.spawn(produce(*sessions[i], options.directory, options.batch, deliveries, participants));
        else
            consumers.spawn(consume(*sessions[i], options.directory, options.batch, deliveries, taken[i - producers]));
    }
    co_await participants.warm();
    const std::function<void(bool)> measuring = [&](bool on) { deliveries.measure(on); };
    const Participants::Span span = co_await participants.measure(sessions, options.duration, measuring);
    while (deliveries.underWay() > 0 && !participants.hasFailed())
        co_await async::sleepFor(loop, 1ms); // not resumed by a consumer, which is destroyed below
    co_await participants.end();

    const auto [least, most] = std::minmax_element(taken.begin(), taken.end());
    Figures figures("queue");
    figures.add("producers", options.producers, "sessions that offer");
    figures.add("consumers", static_cast<int>(taken.size()), "sessions that take");
    figures.add("batch", options.batch, "items offered or taken at a time");
    figures.add("items", static_cast<qint64>(deliveries.times().size()), "of 100 bytes, each delivered once");
    figures.add("per_s",
                static_cast<double>(deliveries.times().size()) / std::chrono::duration<double>(span.elapsed).count(),
                "items a second");
    figures.addTimes("", deliveries.times(), "from the offer to the delivery");
    figures.add("fairness", static_cast<double>(*most) / static_cast<double>(std::max<qint64>(*least, 1)),
                "items of the busiest consumer, in those of the idlest");
    span.addTo(figures, deliveries.times().size(), "sent for each item", "watch events for each item");
    co_return figures;
}

} // namespace drover::app
