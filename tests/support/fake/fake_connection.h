#pragma once

#include "support/fake/fake_watches.h"
#include "support/process_loop.h"
#include "zk/request.h"

namespace drover::test {

class FakeSession;

// One operation from the call to its reply.
struct FakeCall {
    zk::Request request;
    std::shared_ptr<zk::WatchCell> watch;
    ClientWatches::Place place; // of the watch
    async::Promise<zk::Response> promise;
    zk::Response response;
};
using FakeCallPtr = std::shared_ptr<FakeCall>;

// One TCP connection between a session and the server: first in, first out, each way with a latency. Messages carry a
// shared pointer to it, look whether their end is still open when they arrive, and otherwise vanish.
class FakeConnection : public std::enable_shared_from_this<FakeConnection>
{
public:
    FakeConnection(FakeSession *client, ProcessLoop &loop, async::Duration latency)
        : m_client(client), m_loop(loop), m_latency(latency)
    {
    }

    FakeSession *client() const { return m_client; }
    zk::SessionId session() const { return m_session; }
    void setSession(zk::SessionId session) { m_session = session; }
    async::Duration latency() const { return m_latency; }

    // Returns when it arrives.
    async::TimePoint toServer(std::function<void()> arrive, async::Duration delay = {});
    void toClient(std::function<void()> arrive, async::Duration delay = {});

    // The server takes nothing more; what it has sent still arrives.
    void closeServerEnd() { m_serverOpen = false; }
    // The client takes nothing more and may be gone; what it has sent still arrives.
    void closeClientEnd() { m_client = nullptr; }
    // Both, at once: all that is on the way is lost.
    void sever();
    bool open() const { return m_serverOpen && m_client; }

private:
    FakeSession *m_client;
    ProcessLoop &m_loop;
    async::Duration m_latency;
    zk::SessionId m_session = 0;
    bool m_serverOpen = true;
    async::TimePoint m_lastToServer;
    async::TimePoint m_lastToClient;
};

} // namespace drover::test
