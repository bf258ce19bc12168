#pragma once

#include "async/boot_clock.h"

#include <algorithm>

namespace drover::workers {

// How fast workers take the tasks of one array, as the listings of its queue and of the claims show it, and how many
// unclaimed tasks it is worth to have in the queue for them.
//
// An array begins with a small window, which doubles whenever workers have taken half of it. So an array whose tasks
// nobody can run never fills the queue with them. An array moves as long as its tasks are claimed or end.
class OpenShare
{
public:
    static constexpr int First = 100; // the window of an array that has just come
    static constexpr int Most = 1000; // unclaimed tasks of all arrays of one priority in a queue
    static constexpr int Least = 10; // of an array whose tasks run, however many the others have
    static constexpr async::Duration StallTime = std::chrono::seconds(5);

    explicit OpenShare(async::TimePoint now) : m_movedAt(now) { }

    // `open` tasks are in the queue, `claimed` of them by workers; `ended` have run and ended until now.
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
    bool runs() const { return m_claimed > 0 || m_ended > 0; } // some of its tasks do, or did
    bool isStalled(async::TimePoint now) const { return now - m_movedAt >= StallTime; }
    async::TimePoint movedAt() const { return m_movedAt; }

    // How many of its tasks may be open, where `others` are the unclaimed tasks of the other arrays.
    int mayBeOpen(int others) const { return m_claimed + std::clamp(Most - others, runs() ? Least : 1, m_window); }

private:
    int m_window = First;
    int m_unclaimed = 0;
    int m_claimed = 0;
    int m_ended = 0;
    async::TimePoint m_movedAt;
};

} // namespace drover::workers
