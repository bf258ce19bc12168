#pragma once

#include "zk/client/call.h"
#include "zk/client/watch_registry.h"

#include <deque>
#include <map>
#include <memory>
#include <variant>
#include <vector>

struct _zhandle;

namespace drover::zk {

// The calls that a handle of the C client carries out: our requests in its terms, and its answers in ours. The C
// client's callbacks touch nothing else. They neither throw nor resume a coroutine: they append to the events. One
// thread at a time. Outlives the handle; must not be moved.
class ClientCalls
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

    ClientCalls() = default;
    ClientCalls(const ClientCalls &) = delete;
    ClientCalls &operator=(const ClientCalls &) = delete;

    // Hands the request to the C client. An event reports the outcome in every case. False: the C client did not take
    // it. `zk` null: the handle takes no more requests.
    bool send(_zhandle *zk, std::unique_ptr<Call> call);
    // Asks the server to remove its watches at `place`, or with `local` only the C client. An event reports the
    // outcome.
    void removeWatches(_zhandle *zk, const WatchRegistry::Place &place, bool local);

    bool empty() const { return m_inFlight.empty(); }
    // Whether credentials are on their way.
    bool isAuthenticating() const { return m_authenticating > 0; }
    void setHandshakeSent(async::TimePoint now) { m_handshakeSent = now; }

    std::deque<Event> takeEvents() { return std::exchange(m_events, {}); }
    // Takes out all calls without an answer, in the order of sending. Afterwards there are no more events.
    std::vector<std::unique_ptr<Call>> detach();

    // For the C client's callbacks and the handle. Nothing is reported after detach().
    void report(Event event);
    void answer(Call &call, int rc);
    // The watcher of the handle and of each read with a watch; its context is this object.
    static void watcher(_zhandle *zk, int type, int state, const char *path, void *context);

private:
    int submit(_zhandle *zk, Call &call);
    void linkChanged(int state);

    std::map<quint64, std::unique_ptr<Call>> m_inFlight;
    std::deque<Event> m_events;
    quint64 m_lastNumber = 0;
    int m_authenticating = 0;
    bool m_detached = false;
    async::TimePoint m_handshakeSent{};
};

} // namespace drover::zk
