#include "workers/permit_watch.h"

#include "recipes/follow.h"

#include <QLoggingCategory>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::GangLimit;

Q_LOGGING_CATEGORY(lcPermitWatch, "drover.workers.permit_watch")

namespace {

constexpr auto RetryPause = 5s; // after an answer that makes no sense: somebody has changed who may read it
constexpr int Unknown = 0;

} // namespace

PermitWatch::PermitWatch(zk::Coordinator &zk, jobs::Layout layout, std::function<void()> onChange)
    : m_zk(zk), m_layout(std::move(layout)), m_onChange(std::move(onChange)),
      m_following([](const std::exception_ptr &) {}) // the session's end, which the master hears of elsewhere
{
}

bool PermitWatch::sufficeFor(const jobs::JobSpec &gang)
{
    bool enough = true;
    for (const GangLimit &limit : jobs::limitsOn(gang)) {
        const auto [permits, isNew] = m_permits.try_emplace(limit.node(m_layout), Unknown);
        if (isNew)
            m_following.spawn(follow(limit));
        enough = enough && permits->second >= gang.gang;
    }
    return enough;
}

async::Task<void> PermitWatch::follow(GangLimit limit)
{
    const zk::Path path = limit.node(m_layout);
    const auto onNode = [&](const zk::Node *node) {
        const int permits = limit.permits(node);
        if (std::exchange(m_permits[path], permits) != permits)
            m_onChange();
    };
    for (;;) {
        try {
            co_await recipes::followData(m_zk, path, onNode);
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcPermitWatch, "gangs under a limit wait until it can be read: %s", error.what());
            m_permits[path] = Unknown;
        }
        co_await async::sleepFor(m_zk.loop(), RetryPause);
    }
}

} // namespace drover::workers
