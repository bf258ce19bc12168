#pragma once

#include "app/bench/setup/bench_server.h"

namespace drover::app {

// The sessions of a benchmark.
class BenchSessions
{
public:
    // Opens and connects `count` more sessions. Throws as BenchServer::open() does.
    async::Task<void> open(BenchServer &server, qint64 count);

    zk::Client &first() const { return *m_owned.front(); }
    std::vector<zk::Client *> all() const;

private:
    std::vector<std::unique_ptr<zk::Session>> m_owned;
};

} // namespace drover::app
