#pragma once

#include "async/loop.h"

#include <QByteArray>

namespace drover::app {

// Reports the state of this process to systemd, as a unit with Type=notify and WatchdogSec expects it: datagrams to the
// socket that $NOTIFY_SOCKET names (sd_notify(3)). Without that variable it does nothing. The constructor removes the
// variables from the environment, so that no child reports in our name.
//
// The watchdog is fed from the event loop, at half of the time that systemd allows. So a process whose loop stands
// still is restarted.
class ServiceManager
{
public:
    explicit ServiceManager(async::Loop &loop);

    // Says that this process ends, and that its jobs have `within` for it. systemd waits for so long and 15 s more,
    // also if TimeoutStopSec= is shorter.
    void stopping(std::chrono::milliseconds within) const;

    // Sends "READY=1", "STATUS=..." or another assignment of sd_notify(3). A datagram that cannot be sent is lost.
    void report(const QByteArray &state) const;

private:
    void feedWatchdog(async::Loop &loop, async::Duration pause);

    QByteArray m_socket; // a path, or a name behind "@"; empty: there is no manager
    async::Timer m_watchdog;
};

} // namespace drover::app
