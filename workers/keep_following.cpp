#include "workers/keep_following.h"

#include <QLoggingCategory>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcKeepFollowing, "drover.workers.keep_following")

namespace {

constexpr auto RetryPause = 5s;

} // namespace

async::Task<void> keepFollowing(zk::Coordinator &zk, QString meanwhile, std::function<async::Task<void>()> follow,
                                std::function<void()> onFailure)
{
    bool failing = false;
    for (;;) {
        const async::TimePoint begin = zk.loop().now();
        try {
            co_await follow();
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) {
            const bool hadWorked = zk.loop().now() - begin >= RetryPause; // in between
            if (!std::exchange(failing, true) || hadWorked)
                qCWarning(lcKeepFollowing, "%ls: %s", qUtf16Printable(meanwhile), error.what());
        }
        if (onFailure)
            onFailure();
        co_await async::sleepFor(zk.loop(), RetryPause);
    }
}

} // namespace drover::workers
