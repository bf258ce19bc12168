#pragma once

#include "async/loop.h"
#include "async/task.h"

namespace drover::zk {

class Client;

// What a loop awaits that repeats a request after ConnectionLoss until a server has answered it. Belongs to the
// session's thread.
class RepeatPause
{
public:
    // The client outlives this object.
    explicit RepeatPause(Client &client) : m_client(client) { }

    // Returns when the session is connected. If it is already, an overloaded server has discarded the request. Then this
    // waits for 10 ms first, and twice as long each time, up to a second. Throws SessionLost.
    async::Task<void> wait();

private:
    Client &m_client;
    async::Duration m_next = std::chrono::milliseconds(10);
};

} // namespace drover::zk
