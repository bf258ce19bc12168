#pragma once

#include "app/bench/bench_server.h"

namespace drover::app {

// The sessions of a benchmark.
class BenchSessions
{
public:
    // Opens so many more, connected. Throws as BenchServer::open() does.
    async::Task<void> open(BenchServer &server, qint64 count);

    zk::Coordinator &first() const { return *m_owned.front(); }
    std::vector<zk::Coordinator *> all() const;

private:
    std::vector<std::unique_ptr<zk::Session>> m_owned;
};

} // namespace drover::app
