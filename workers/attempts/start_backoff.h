#pragma once

#include "async/loop.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace drover::workers {

// The pause after a start that failed because of the machine: the worker starts no job meanwhile. It lasts a second,
// and twice as long each time until a job runs, a minute at most. Failures during a pause do not prolong it.
class StartBackoff
{
public:
    // `onElapsed` is called at the end of each pause.
    StartBackoff(async::Loop &loop, std::function<void()> onElapsed) : m_loop(loop), m_onElapsed(std::move(onElapsed))
    {
    }

    bool isActive() const { return m_active; }

    // Starts a pause and returns its length. Returns nothing if a pause is active already.
    std::optional<std::chrono::seconds> begin()
    {
        if (std::exchange(m_active, true))
            return std::nullopt;
        const std::chrono::seconds length = m_next;
        m_next = std::min(2 * length, Longest);
        m_end = m_loop.after(length, [this] {
            m_active = false;
            m_onElapsed();
        });
        return length;
    }

    // A job runs: the next pause is a short one again.
    void recovered() { m_next = First; }

private:
    static constexpr std::chrono::seconds First{1};
    static constexpr std::chrono::seconds Longest{60};

    async::Loop &m_loop;
    std::function<void()> m_onElapsed;
    std::chrono::seconds m_next = First;
    bool m_active = false;
    async::Timer m_end;
};

} // namespace drover::workers
