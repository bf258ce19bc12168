#include "recipes/barrier.h"

#include "recipes/persist.h"
#include "recipes/until_gone.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

async::Task<void> Barrier::close()
{
    co_await m_zk.ensurePath(m_path);
}

async::Task<void> Barrier::open()
{
    const auto remove = [&] { return m_zk.remove(m_path); };
    const Answer<zk::Nothing> removed = co_await persist(m_zk, remove);
    if (!removed.is(Code::NoNode))
        removed.require();
}

async::Task<void> Barrier::wait()
{
    const auto look = [&] { return m_zk.exists(m_path); };
    const Answer<zk::Stat> closed = co_await persistSynced(m_zk, m_path, look);
    if (closed.ok())
        co_await untilGone(m_zk, m_path, closed->czxid);
}

} // namespace drover::recipes
