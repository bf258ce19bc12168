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

WaitingFeed::WaitingFeed(zk::Coordinator &zk, jobs::Layout layout, Troubles &troubles, OnListed onListed)
    : m_zk(zk), m_layout(std::move(layout)), m_troubles(troubles), m_onListed(std::move(onListed)),
      m_failure(zk.loop()), m_following([this](const std::exception_ptr &error) { m_failure.note(error); })
{
}

async::Task<void> WaitingFeed::run()
{
    const std::function<async::Task<void>()> followAll = [this] { return followQueues(); };
    m_following.spawn(keepWorking(m_zk, m_troubles, QStringLiteral("queues"), followAll));
    co_await m_failure.thrown();
}

async::Task<void> WaitingFeed::followQueues()
{
    const auto onQueues = [this](const zk::Children &queues) {
        for (const QByteArray &queue : queues.names) {
            const auto [place, isNew] = m_queues.try_emplace(queue);
            if (!isNew)
                continue;
            m_unlisted.insert(queue);
            m_following.spawn(keepFollowing(queue));
        }
        m_knowsQueues = true;
    };
    co_await recipes::followChildren(m_zk, m_layout.queues(), onQueues);
}

void WaitingFeed::listAgain()
{
    for (auto &[queue, told] : m_queues) {
        m_unlisted.insert(queue);
        told.set();
    }
}

async::Task<void> WaitingFeed::keepFollowing(QByteArray queue)
{
    const QString subject = QStringLiteral("queue %1").arg(QString::fromUtf8(queue));
    const std::function<async::Task<void>()> followOnce = [this, queue] { return follow(queue); };
    co_await keepWorking(m_zk, m_troubles, subject, followOnce);
}

// First a listing: what cannot be watched is listed each time that this is tried again.
async::Task<void> WaitingFeed::follow(QByteArray queue)
{
    try {
        co_await list(queue);
    } catch (const zk::AccessDenied &) {
        m_unlisted.remove(queue); // its jobs are out of reach: nothing waits for what they need
        throw;
    }
    const auto onTold = [this, queue](const zk::Node *) { m_queues.at(queue).set(); };
    std::vector<async::Task<void>> parts;
    parts.push_back(recipes::followData(m_zk, m_layout.waiting(queue), onTold));
    parts.push_back(listWhenTold(queue));
    co_await async::firstOf(m_zk.loop(), std::move(parts));
}

async::Task<void> WaitingFeed::listWhenTold(QByteArray queue)
{
    async::Event &told = m_queues.at(queue);
    for (;;) {
        co_await told.wait();
        told.reset();
        const async::TimePoint begin = m_zk.loop().now();
        co_await list(queue);
        const async::Duration taken = m_zk.loop().now() - begin;
        const async::Duration pause =
            std::clamp<async::Duration>(PausePerListing * taken, ShortestPause, LongestForListing);
        co_await async::sleepFor(m_zk.loop(), pause);
    }
}

async::Task<void> WaitingFeed::list(QByteArray queue)
{
    const zk::Path path = m_layout.queue(queue);
    const auto read = [&] { return m_zk.children(path); };
    const Answer<zk::Children> names = co_await recipes::persist(m_zk, read);
    std::vector<jobs::QueueEntry> entries;
    for (const QByteArray &name : names->names) {
        const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
        if (entry && jobs::isMasters(entry->jobClass))
            entries.push_back(*entry);
    }
    m_onListed(queue, entries);
    m_unlisted.remove(queue);
}

} // namespace drover::workers
