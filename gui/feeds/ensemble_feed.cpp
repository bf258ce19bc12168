#include "gui/feeds/ensemble_feed.h"

#include "async/or_timeout.h"

namespace drover::gui {

using namespace std::chrono_literals;

void EnsembleFeed::begin()
{
    spawn(keepAsking());
}

void EnsembleFeed::clear()
{
    m_membership.reset();
    Q_EMIT changed({});
}

async::Task<void> EnsembleFeed::keepAsking()
{
    async::Loop &loop = cluster().zk.loop();
    const zk::ServerList servers = zk::parseConnectString(target().connect);
    const QByteArrayList words{"srvr", "mntr", "conf", "ruok"};
    for (;;) {
        const async::TimePoint asked = loop.now();
        std::vector<zk::ServerReport> reports = co_await m_ask(loop, servers, words);
        QByteArray config;
        if (!zk::membershipOf(reports, config))
            config = co_await readConfig();
        if (const std::optional<zk::Membership> membership = zk::membershipOf(reports, config))
            m_membership = membership;
        const zk::Majority majority = zk::majorityOf(reports, m_membership);
        Q_EMIT changed({std::move(reports), majority});
        co_await async::sleepFor(loop, std::max<async::Duration>(0s, asked + EnsembleSnapshot::Interval - loop.now()));
    }
}

// Where no server may tell its configuration. Empty: it cannot be read now.
async::Task<QByteArray> EnsembleFeed::readConfig()
{
    zk::Client &zk = cluster().zk;
    if (zk.state() != zk::Client::State::Connected)
        co_return QByteArray();
    const auto read = [](zk::Client &client) -> async::Task<QByteArray> {
        const zk::Answer<zk::Node> config = co_await client.configuration();
        co_return config.ok() ? config->data : QByteArray();
    };
    try {
        const QByteArray config = co_await async::orTimeout(zk.loop(), read(zk), 2s);
        co_return config;
    } catch (const async::Timeout &) {
    } catch (const zk::ConnectionLoss &) {
    } catch (const zk::AccessDenied &) {
    }
    co_return QByteArray();
}

} // namespace drover::gui
