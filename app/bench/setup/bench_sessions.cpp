#include "app/bench/setup/bench_sessions.h"

namespace drover::app {

async::Task<void> BenchSessions::open(BenchServer &server, qint64 count)
{
    for (qint64 i = 0; i < count; ++i) {
        std::unique_ptr<zk::Session> session = co_await server.open();
        m_owned.push_back(std::move(session));
    }
}

std::vector<zk::Client *> BenchSessions::all() const
{
    std::vector<zk::Client *> pointers;
    for (const auto &session : m_owned)
        pointers.push_back(session.get());
    return pointers;
}

} // namespace drover::app
