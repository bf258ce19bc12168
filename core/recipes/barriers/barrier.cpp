#include "recipes/barriers/barrier.h"

#include "recipes/blocks/persistent.h"
#include "recipes/blocks/until_gone.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

async::Task<void> Barrier::close()
{
    co_await m_zk.ensurePath(m_path);
}

async::Task<void> Barrier::open()
{
    const Answer<zk::Nothing> removed = co_await Persistent(m_zk).remove(m_path);
    removed.requireUnless(Code::NoNode);
}

async::Task<void> Barrier::wait()
{
    const Answer<zk::Stat> closed = co_await Persistent(m_zk).afterSync(m_path).exists(m_path);
    if (closed.ok())
        co_await untilGone(m_zk, m_path, closed->czxid);
}

} // namespace drover::recipes
