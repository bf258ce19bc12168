#include "zk/repeat_pause.h"

#include "zk/client.h"

#include <algorithm>
#include <utility>

namespace drover::zk {

async::Task<void> RepeatPause::wait()
{
    constexpr async::Duration Longest = std::chrono::seconds(1);
    const async::Duration pause = std::exchange(m_next, std::min<async::Duration>(2 * m_next, Longest));
    if (m_client.state() == Client::State::Connected)
        co_await async::sleepFor(m_client.loop(), pause);
    co_await m_client.connected();
}

} // namespace drover::zk
