#pragma once

#include "zk/client/client_calls.h"
#include "zk/client/connect_string.h"

#include <array>

namespace drover::zk {

// Proves to a server that this client owns a session.
struct ClientId {
    SessionId session = 0;
    std::array<char, 16> password{};
};

// libzookeeper_st's handle, and its connection to a server. Another thread may close it, which blocks, after its last
// user has gone. One thread at a time. What the C client reports waits in takeEvents() until it has returned.
class ClientHandle
{
public:
    using Link = ClientCalls::Link;
    using LinkChange = ClientCalls::LinkChange;
    using Answered = ClientCalls::Answered;
    using WatchesRemoved = ClientCalls::WatchesRemoved;
    using Event = ClientCalls::Event;

    // The socket events and the deadline to wait for before the next call of process().
    struct Interest {
        int fd = -1;
        bool write = false;
        async::Duration wait{0};
    };

    // `servers` are numeric addresses, tried in this order. Throws std::system_error.
    ClientHandle(const ServerList &servers, std::chrono::milliseconds timeout, const ClientId &resume);
    ClientHandle(const ClientHandle &) = delete;
    ClientHandle &operator=(const ClientHandle &) = delete;
    ~ClientHandle(); // calls close()

    Link link() const;
    bool isUsable() const; // not closed and neither Expired nor AuthFailed

    // Hands the request to the C client, which sends as much as the socket takes; process() sends the rest. An event
    // reports the outcome in every case. Only while the link is Up.
    void send(std::unique_ptr<Call> call);
    // Whether credentials may be sent now. They overtake the C client's queue and would split a half sent request.
    bool canAuthenticate();
    // Asks the server to remove its watches at `place`. An event reports the outcome.
    void removeWatches(const WatchRegistry::Place &place);

    Interest interest();
    void process(bool readable, bool writable);
    std::deque<Event> takeEvents() { return m_calls.takeEvents(); }

    // Ends the attempt to make a connection, or closes the present one, and tries the next server.
    void breakLink();
    // Closes the present connection, and tries every other server before this one again.
    void leaveServer();
    // Sets the servers for later connections. If the present server is not in the list, its connection is closed at
    // once.
    void setServers(const ServerList &servers);

    ClientId clientId() const;
    std::chrono::milliseconds timeout() const;
    QString server() const; // the connected server, or empty
    QString lastTrouble() const { return m_lastTrouble; }
    void clearTrouble() { m_lastTrouble.clear(); }

    // When the present connection or attempt began.
    async::TimePoint attemptSince() const { return m_attemptSince; }

    // Takes out all calls without an answer, in the order of sending. Afterwards there are no more events.
    std::vector<std::unique_ptr<Call>> detach() { return m_calls.detach(); }
    // Ends the session, if the server can be reached, and frees everything. Blocks for up to some seconds. Call
    // detach() first.
    void close();

private:
    void adoptServers();
    void repairLink();
    void flushAndCollect();

    _zhandle *m_zk = nullptr;
    ClientCalls m_calls;
    async::TimePoint m_attemptSince{};
    ServerList m_servers; // as set last
    ServerList m_nextServers; // in the order in which they are tried next; empty: as the C client has it
    QString m_lastTrouble;
};

} // namespace drover::zk
