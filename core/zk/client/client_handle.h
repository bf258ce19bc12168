#pragma once

#include "zk/client/call.h"
#include "zk/client/connect_string.h"
#include "zk/client/watch_registry.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <variant>
#include <vector>

struct _zhandle;

namespace drover::zk {

// Proves to a server that this client owns a session.
struct ClientId {
    SessionId session = 0;
    std::array<char, 16> password{};
};

// libzookeeper_st's handle together with the contexts of all its callbacks. The callbacks touch nothing else, so
// another thread may close the handle, which blocks, after its last user has gone. One thread at a time. Callbacks
// never resume a coroutine: they append to the events, which the owner takes when the C client has returned.
class ClientHandle
{
public:
    enum class Link {
        Down,
        Connecting,
        Handshake, // connected; the server has not accepted the session
        Up,
        Expired, // permanent
        AuthFailed, // permanent
    };

    struct LinkChange {
        Link link;
        async::TimePoint handshakeSent{}; // of the present connection, if Up
    };
    struct Answered {
        std::unique_ptr<Call> call; // with its response
    };
    struct WatchesRemoved {
        WatchRegistry::Place place;
        bool gone;
    };
    using Event = std::variant<LinkChange, Answered, WatchEvent, WatchesRemoved>;

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
    std::deque<Event> takeEvents() { return std::exchange(m_events, {}); }

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
    std::vector<std::unique_ptr<Call>> detach();
    // Ends the session, if the server can be reached, and frees everything. Blocks for up to some seconds. Call
    // detach() first.
    void close();

private:
    friend struct Callbacks;

    // Defined in client_calls.cpp:
    void open(const QByteArray &servers, std::chrono::milliseconds timeout, const ClientId &resume);
    int submit(Call &call);

    void answer(Call &call, int rc);
    void adoptServers();
    void repairLink();
    void flushAndCollect();
    bool unfinished() const { return !m_inFlight.empty(); }

    _zhandle *m_zk = nullptr;
    std::map<quint64, std::unique_ptr<Call>> m_inFlight;
    std::deque<Event> m_events;
    quint64 m_lastNumber = 0;
    int m_authenticating = 0;
    bool m_detached = false;
    async::TimePoint m_handshakeSent{};
    async::TimePoint m_attemptSince{};
    ServerList m_servers; // as set last
    ServerList m_nextServers; // in the order in which they are tried next; empty: as the C client has it
    QString m_lastTrouble;
};

} // namespace drover::zk
