#pragma once

#include "async/boot_timers.h"
#include "async/loop.h"

#include <QObject>

namespace drover::async {

// The Qt event loop of the thread that makes it. Timers are precise. Offloaded work never waits for a free thread.
class QtLoop final : public QObject, public Loop
{
    Q_OBJECT

public:
    QtLoop();
    ~QtLoop() override;

    TimePoint now() const override { return BootClock::now(); }
    Timer after(Duration delay, std::function<void()> callback) override;
    void post(std::function<void()> callback) override;
    void offload(std::function<void()> work, std::function<void()> done) override;

private:
    const std::shared_ptr<BootTimers> m_timers;

    // Offloaded work may outlive the loop; the mailbox says whether the loop still exists.
    struct Mailbox;
    std::shared_ptr<Mailbox> m_mailbox;
};

} // namespace drover::async
