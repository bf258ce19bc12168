#pragma once

#include "zk/call.h"
#include "zk/connect_string.h"
#include "zk/watch_registry.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <variant>
#include <vector>

struct _zhandle;

namespace drover::zk {

// What proves to a server that a session is ours.
struct ClientId {
    SessionId session = 0;
    std::array<char, 16> password{};
};

// libzookeeper_st's handle together with the contexts of all its callbacks, which may touch nothing else: so it can be
// closed, which blocks, on another thread after everybody has lost interest. One thread at a time. Callbacks never
// resume anybody: they append to the happenings, which the owner takes when the C client has returned.
class ClientHandle
{
public:
    enum class Link {
        Down,
        Connecting,
        Handshake, // connected; the server has not yet said what becomes of the session
        Up,
        Expired, // for good
        AuthFailed, // for good
    };

    struct LinkChange {
        Link link;
        async::TimePoint handshakeSent{}; // of this connection, when it is Up
    };
    struct Answered {
        std::unique_ptr<Call> call; // with its response
    };
    struct WatchesRemoved {
        WatchRegistry::Place place;
        bool gone;
    };
    using Happening = std::variant<LinkChange, Answered, WatchEvent, WatchesRemoved>;

    // What to wait for before process() is to be called again.
    struct Interest {
        int fd = -1;
        bool write = false;
        async::Duration wait{0};
    };

    // `servers` are numeric, tried in this order. Throws std::system_error.
    ClientHandle(const ServerList &servers, std::chrono::milliseconds timeout, const ClientId &resume);
    ClientHandle(const ClientHandle &) = delete;
    ClientHandle &operator=(const ClientHandle &) = delete;
    ~ClientHandle(); // close()s

    Link link() const;
    bool isUsable() const; // not closed and neither Expired nor AuthFailed

    // Hands the request to the C client, which sends as much as the socket takes; the rest goes out with process().
    // Whatever becomes of it, a happening says so. Only while the link is Up.
    void send(std::unique_ptr<Call> call);
    // Credentials jump the C client's queue and would tear a half sent request apart: only send them when this is true.
    bool canAuthenticate();
    // Asks the server to forget its watches at this place. A happening says how it went.
    void removeWatches(const WatchRegistry::Place &place);

    Interest interest();
    void process(bool readable, bool writable);
    std::deque<Happening> takeHappenings() { return std::exchange(m_happenings, {}); }

    // Gives up the present connection or the attempt to make one; the next server is tried.
    void breakLink();
    // From the next connection on; at once if the present one is to a server that is not listed.
    void setServers(const ServerList &servers);

    ClientId clientId() const;
    std::chrono::milliseconds timeout() const;
    QString server() const; // that it is connected to, or empty
    QString lastTrouble() const { return m_lastTrouble; }
    void clearTrouble() { m_lastTrouble.clear(); }

    // Of the present connection or attempt.
    async::TimePoint attemptSince() const { return m_attemptSince; }

    // Forgets all calls without an answer and returns them in the order of sending; after it nothing happens any more.
    std::vector<std::unique_ptr<Call>> detach();
    // Ends the session, if the server can be told, and frees everything. Blocks up to seconds. detach() first.
    void close();

private:
    friend struct Callbacks;

    // client_calls.cpp
    void open(const QByteArray &servers, std::chrono::milliseconds timeout, const ClientId &resume);
    int submit(Call &call);

    void settle(Call &call, int rc);
    void adoptServers();
    void repairLink();
    void flushAndCollect();
    bool unfinished() const { return !m_inFlight.empty(); }

    _zhandle *m_zk = nullptr;
    std::map<quint64, std::unique_ptr<Call>> m_inFlight;
    std::deque<Happening> m_happenings;
    quint64 m_lastNumber = 0;
    int m_authenticating = 0;
    bool m_detached = false;
    async::TimePoint m_handshakeSent{};
    async::TimePoint m_attemptSince{};
    ServerList m_nextServers;
    QString m_lastTrouble;
};

} // namespace drover::zk
