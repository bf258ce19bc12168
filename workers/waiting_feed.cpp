#include "workers/waiting_feed.h"

#include "async/first_of.h"
#include "jobs/move.h"
#include "recipes/follow.h"
#include "recipes/persist.h"

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Answer;

namespace {

constexpr auto ShortestPause = 20ms; // between two listings of a queue
constexpr int PausePerListing = 4; // in the time that the last one took
constexpr async::Duration LongestForListing = 2s; // it may have waited for a connection

} // namespace

WaitingFeed::WaitingFeed(zk::Coordinator &zk, jobs::Layout layout, OnListed onListed)
    : m_zk(zk), m_layout(std::move(layout)), m_onListed(std::move(onListed)), m_failure(zk.loop()),
      m_following([this](const std::exception_ptr &error) { m_failure.note(error); })
{
}

async::Task<void> WaitingFeed::run()
{
    const auto onQueues = [this](const zk::Children &queues) {
        for (const QByteArray &queue : queues.names) {
            if (m_queues.contains(queue))
                continue;
            m_queues.insert(queue);
            m_unlisted.insert(queue);
            m_following.spawn(follow(queue));
        }
        m_knowsQueues = true;
    };
    m_following.spawn(recipes::followChildren(m_zk, m_layout.queues(), onQueues));
    co_await m_failure.thrown();
}

async::Task<void> WaitingFeed::follow(QByteArray queue)
{
    async::Event told;
    const auto onTold = [&told](const zk::Node *) { told.set(); };
    std::vector<async::Task<void>> parts;
    parts.push_back(recipes::followData(m_zk, m_layout.waiting(queue), onTold));
    parts.push_back(listWhenTold(queue, told));
    co_await async::firstOf(m_zk.loop(), std::move(parts));
}

async::Task<void> WaitingFeed::listWhenTold(QByteArray queue, async::Event &told)
{
    const zk::Path path = m_layout.queue(queue);
    const auto list = [&] { return m_zk.children(path); };
    for (;;) {
        co_await told.wait();
        told.reset();
        const async::TimePoint begin = m_zk.loop().now();
        const Answer<zk::Children> names = co_await recipes::persist(m_zk, list);
        std::vector<jobs::QueueEntry> entries;
        for (const QByteArray &name : names->names) {
            const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
            if (entry && jobs::isMasters(entry->jobClass))
                entries.push_back(*entry);
        }
        m_onListed(queue, entries);
        m_unlisted.remove(queue);
        const async::Duration taken = m_zk.loop().now() - begin;
        const async::Duration pause =
            std::clamp<async::Duration>(PausePerListing * taken, ShortestPause, LongestForListing);
        co_await async::sleepFor(m_zk.loop(), pause);
    }
}

} // namespace drover::workers
