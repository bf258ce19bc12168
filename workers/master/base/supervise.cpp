#include "workers/master/base/supervise.h"

#include "workers/master/base/master_commit.h"

#include <QLoggingCategory>

namespace drover::workers {

Q_LOGGING_CATEGORY(lcSupervise, "drover.workers.supervise")

async::Task<void> superviseWatch(zk::Client &zk, QString meanwhile, std::function<async::Task<void>()> watch,
                                 std::function<void()> onFailure)
{
    bool failing = false;
    for (;;) {
        const async::TimePoint begin = zk.loop().now();
        try {
            co_await watch();
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) {
            const bool hadWorked = zk.loop().now() - begin >= RetryPause; // in between
            if (!std::exchange(failing, true) || hadWorked)
                qCWarning(lcSupervise, "%ls: %s", qUtf16Printable(meanwhile), error.what());
        }
        if (onFailure)
            onFailure();
        co_await async::sleepFor(zk.loop(), RetryPause);
    }
}

async::Task<void> superviseDuty(zk::Client &zk, Troubles &troubles, QString subject,
                                std::function<async::Task<void>()> work)
{
    for (;;) {
        try {
            const async::Timer works = zk.loop().after(2 * RetryPause, [&] { troubles.clear(subject); });
            co_await work();
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const Deposed &) {
            throw;
        } catch (const zk::ConnectionLoss &) { // the connection fails, not this duty
        } catch (const std::exception &error) {
            troubles.note(subject, QString::fromUtf8(error.what()));
        }
        co_await async::sleepFor(zk.loop(), RetryPause);
        co_await zk.connected();
    }
}

} // namespace drover::workers
