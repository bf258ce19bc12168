#include "support/session_fixture.h"

namespace drover::test {

using namespace std::chrono_literals;

zk::SessionOptions SessionFixture::options() const
{
    zk::SessionOptions options;
    options.servers = server.connectString();
    options.timeout = 20s;
    options.shuffle = false;
    return options;
}

zk::SessionOptions SessionFixture::mortal() const
{
    zk::SessionOptions brief = options();
    brief.timeout = 6s;
    return brief;
}

zk::SessionOptions SessionFixture::options(const app::DelayRelay &relay) const
{
    zk::SessionOptions relayed = options();
    relayed.servers = QStringLiteral("127.0.0.1:%1").arg(relay.port());
    return relayed;
}

std::unique_ptr<zk::Session> SessionFixture::connected(const zk::SessionOptions &options)
{
    auto session = std::make_unique<zk::Session>(loop, options);
    session->open();
    await(session->connected());
    return session;
}

async::Task<zk::Code> existence(zk::Client &zk, zk::Path path)
{
    const zk::Answer<zk::Nothing> synced = co_await zk.sync(zk::Path());
    const zk::Answer<zk::Stat> answer = co_await zk.exists(path);
    co_return answer.code();
}

} // namespace drover::test
