#pragma once

#include "net/file_descriptor.h"

#include <QtGlobal>

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

struct pollfd;

namespace drover::net {

// A development instrument, for measurements and tests: relays TCP connections from a free port on 127.0.0.1 to another
// port there, as if the two ends were a network apart. Each direction is delayed by half the round trip, precise to
// about 0.1 ms, never early; any number of bytes may be under way. Only connecting itself takes no time.
//
// Works in a thread of its own, so a busy caller distorts nothing. Every member may be called from any thread, and what
// it asks for is in force when it returns (microseconds). The destructor drops all connections.
class DelayRelay
{
public:
    enum class Direction { ToTarget, FromTarget, Both };

    struct Counters {
        int accepted = 0; // connections, ever
        int open = 0;
        qint64 bytesToTarget = 0; // passed on, ever
        qint64 bytesFromTarget = 0;
    };

    // Throws std::system_error.
    DelayRelay(quint16 targetPort, std::chrono::nanoseconds roundTrip);
    DelayRelay(const DelayRelay &) = delete;
    DelayRelay &operator=(const DelayRelay &) = delete;
    ~DelayRelay();

    quint16 port() const { return m_port; }

    // For bytes that arrive from now on. They still never overtake earlier ones.
    void setRoundTrip(std::chrono::nanoseconds roundTrip);

    // Resets every connection; bytes under way are lost.
    void dropConnections();

    // Refuses new connections, until resume(). The port stays reserved.
    void refuse();

    // Keeps connections and accepts new ones, but passes nothing on, not even their end, until resume(). Bytes are not
    // lost, as TCP would send them again.
    void silence(Direction direction);

    // Ends refuse() and silence().
    void resume();

    Counters counters() const;

private:
    class Connection;

    void inThread(std::function<void()> command) const;
    void run();
    void poll();
    void acceptAll();
    void close(std::list<Connection>::iterator connection);
    void runCommands();
    void listen();
    void setSilence(bool toTarget, bool fromTarget);

    const quint16 m_targetPort;
    quint16 m_port = 0;
    FileDescriptor m_wake;
    FileDescriptor m_reservation; // bound, never listening: keeps the port while we refuse

    mutable std::mutex m_mutex; // for m_commands alone
    mutable std::vector<std::function<void()>> m_commands;

    // Of the relay's thread:
    std::chrono::nanoseconds m_delay; // one way
    FileDescriptor m_listener;
    std::list<Connection> m_connections;
    Counters m_counters; // bytes of closed connections
    bool m_silentToTarget = false;
    bool m_silentFromTarget = false;
    bool m_stopping = false;

    std::thread m_thread;
};

} // namespace drover::net
