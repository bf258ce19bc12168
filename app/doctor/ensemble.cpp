#include "app/doctor/ensemble.h"

#include "app/cli/failure.h"
#include "app/environment/context.h"

#include <algorithm>

namespace drover::app {

async::Task<QByteArray> configBeside(Context &context, const std::vector<zk::ServerReport> &reports)
{
    const bool isServed = std::any_of(reports.begin(), reports.end(), [](const auto &one) { return one.serves(); });
    if (!isServed || zk::membershipOf(reports, QByteArray()))
        co_return QByteArray();
    try {
        zk::Client *const zk = co_await context.connect();
        const zk::Answer<zk::Node> config = co_await zk->configuration();
        co_return config.ok() ? config->data : QByteArray();
    } catch (const CommandError &) { // no majority, or no credentials that can be read
    } catch (const zk::Error &) {
    }
    co_return QByteArray();
}

} // namespace drover::app
