#pragma once

#include "async/loop.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace drover::workers {

// How long a worker leaves the jobs to others when its machine cannot run any now: a second, and twice as long each time
// it is no better, up to a minute. Several that fail before it is over are one trouble.
class Respite
{
public:
    // `over` is called at each end.
    Respite(async::Loop &loop, std::function<void()> over) : m_loop(loop), m_over(std::move(over)) { }

    bool isOn() const { return m_on; }

    // Its length, if it was not on already.
    std::optional<std::chrono::seconds> begin()
    {
        if (std::exchange(m_on, true))
            return std::nullopt;
        const std::chrono::seconds length = m_next;
        m_next = std::min(2 * length, Longest);
        m_end = m_loop.after(length, [this] {
            m_on = false;
            m_over();
        });
        return length;
    }

    // A job runs: the next trouble is another one.
    void recovered() { m_next = First; }

private:
    static constexpr std::chrono::seconds First{1};
    static constexpr std::chrono::seconds Longest{60};

    async::Loop &m_loop;
    std::function<void()> m_over;
    std::chrono::seconds m_next = First;
    bool m_on = false;
    async::Timer m_end;
};

} // namespace drover::workers
