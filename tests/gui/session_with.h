#pragma once

#include "zk/client/session.h"

#include <memory>

namespace drover::test {

// An open session of a client without credentials, which waits for the connection by itself.
inline std::unique_ptr<zk::Session> sessionWith(async::Loop &loop, const QString &servers,
                                                std::chrono::milliseconds timeout)
{
    zk::SessionOptions options;
    options.servers = servers;
    options.timeout = timeout;
    auto session = std::make_unique<zk::Session>(loop, options);
    session->open();
    return session;
}

} // namespace drover::test
