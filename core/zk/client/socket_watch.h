#pragma once

#include "async/loop.h"

#include <QObject>
#include <QSocketNotifier>

#include <functional>
#include <memory>

namespace drover::zk {

// Watches the socket of the C client, and the time, in the Qt event loop of its thread. A "pass" is one call of the
// callback, which decides what the next pass waits for.
class SocketWatch final : public QObject
{
public:
    // Why a pass comes. All false: a deadline, or wake().
    struct Pass {
        bool readable = false;
        bool writable = false;
        async::Duration late{0}; // how long after the deadline of arm()
    };

    // `pass` may destroy this object.
    SocketWatch(async::Loop &loop, std::function<void(const Pass &)> pass);

    // The next pass comes when `socket` can be read, or written if `write`, and after `wait` at the latest. A socket of
    // -1 is none.
    void arm(int socket, bool write, async::Duration wait);
    // A pass comes soon. Several calls before it ask for one pass.
    void wake();
    // Forgets the socket, which may be closed already.
    void forget() { listen(-1, false); }
    // No pass comes any more, but for wake().
    void stop();

    int descriptor() const { return static_cast<int>(m_readable->socket()); } // -1: none

private:
    void listen(int socket, bool write);
    void begin(Pass pass);

    // Deletes a notifier later, because one of them may have called the destructor.
    struct DeleteLater {
        void operator()(QObject *object) const { object->deleteLater(); }
    };

    async::Loop &m_loop;
    std::function<void(const Pass &)> m_pass;
    std::unique_ptr<QSocketNotifier, DeleteLater> m_readable{new QSocketNotifier(QSocketNotifier::Read)};
    std::unique_ptr<QSocketNotifier, DeleteLater> m_writable{new QSocketNotifier(QSocketNotifier::Write)};
    async::Timer m_timer;
    async::TimePoint m_deadline{}; // of the armed pass; 0: none is armed
    bool m_awake = false; // wake() has been called, and the pass has not come yet
};

} // namespace drover::zk
