#pragma once

#include "posix/file_descriptor.h"

#include <QtGlobal>

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

struct pollfd;

namespace drover::app {

// An instrument for measurements and tests. It relays TCP connections from a free port on 127.0.0.1 to another port
// there, and simulates the delay of a network. Each direction is delayed by half the round trip, precise to about 0.1
// ms and never early. Any number of bytes may be in transit. Connecting itself is not delayed.
//
// It works on a thread of its own, so a busy caller does not distort the times. All members may be called from any
// thread, and take effect before they return (within microseconds). The destructor drops all connections.
class DelayRelay
{
public:
    enum class Direction { ToTarget, FromTarget, Both };

    struct Counters {
        int accepted = 0; // all connections so far
        int open = 0;
        qint64 bytesToTarget = 0; // all bytes passed on so far
        qint64 bytesFromTarget = 0;
    };

    // Throws std::system_error.
    DelayRelay(quint16 targetPort, std::chrono::nanoseconds roundTrip);
    DelayRelay(const DelayRelay &) = delete;
    DelayRelay &operator=(const DelayRelay &) = delete;
    ~DelayRelay();

    quint16 port() const { return m_port; }

    // Applies to bytes that arrive later. They never overtake earlier ones.
    void setRoundTrip(std::chrono::nanoseconds roundTrip);

    // Resets every connection; bytes in transit are lost.
    void dropConnections();

    // Refuses new connections until resume(). The port stays reserved.
    void refuse();

    // Keeps connections and accepts new ones, but passes on neither bytes nor the end of a connection until resume().
    // No bytes are lost, because TCP would send them again, too.
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
    posix::FileDescriptor m_wake;
    posix::FileDescriptor m_reservation; // bound to the port, never listening

    mutable std::mutex m_mutex; // protects m_commands only
    mutable std::vector<std::function<void()>> m_commands;

    // Used by the relay's thread only:
    std::chrono::nanoseconds m_delay; // one way
    posix::FileDescriptor m_listener;
    std::list<Connection> m_connections;
    Counters m_counters; // bytes of closed connections
    bool m_silentToTarget = false;
    bool m_silentFromTarget = false;
    bool m_stopping = false;

    std::thread m_thread;
};

} // namespace drover::app
