#pragma once

#include "async/boot_clock.h"

#include <algorithm>

namespace drover::workers {

// How many unclaimed tasks of one array the queue should hold, from how fast workers take them. The listings of the
// queue and of the claims show that.
//
// An array begins with a small window, which doubles whenever workers have taken half of it. So an array whose tasks no
// worker can run never fills the queue. An array moves as long as its tasks are claimed or end.
class OpenShare
{
public:
    static constexpr int First = 100; // the window of a new array
    static constexpr int Most = 1000; // unclaimed tasks of all arrays of one priority in a queue
    static constexpr int Least = 10; // for an array whose tasks run, whatever the others have
    static constexpr async::Duration StallTime = std::chrono::seconds(5);

    explicit OpenShare(async::TimePoint now) : m_movedAt(now) { }

    // `open` tasks are in the queue, workers have claimed `claimed` of them, and `ended` tasks have ended until now.
    void note(int open, int claimed, int ended, async::TimePoint now)
    {
        const bool moves = open <= claimed || claimed > m_claimed || ended > m_ended;
        m_movedAt = moves ? now : m_movedAt;
        m_unclaimed = std::max(0, open - claimed);
        m_claimed = claimed;
        m_ended = ended;
        if (runs() && 2 * m_unclaimed <= m_window)
            m_window = std::min(2 * m_window, Most);
    }

    int unclaimed() const { return m_unclaimed; }
    int claimed() const { return m_claimed; }
    bool runs() const { return m_claimed > 0 || m_ended > 0; } // a worker has taken at least one
    bool isStalled(async::TimePoint now) const { return now - m_movedAt >= StallTime; }
    async::TimePoint movedAt() const { return m_movedAt; }

    // How many tasks of this array may be open while the other arrays have `others` unclaimed tasks.
    int mayBeOpen(int others) const { return m_claimed + std::clamp(Most - others, runs() ? Least : 1, m_window); }

private:
    int m_window = First;
    int m_unclaimed = 0;
    int m_claimed = 0;
    int m_ended = 0;
    async::TimePoint m_movedAt;
};

} // namespace drover::workers
