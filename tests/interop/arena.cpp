#include "interop/arena.h"

namespace drover::test {

using namespace std::chrono_literals;

namespace {

async::Task<void> untilChildren(zk::Coordinator &zk, zk::Path path, int count)
{
    for (;;) {
        const zk::Answer<zk::Children> children = co_await zk.children(path);
        if (children.ok() && children->names.size() == count)
            co_return;
        co_await async::sleepFor(zk.loop(), 2ms);
    }
}

} // namespace

Arena::Arena()
{
    server.start();
    m_curator = std::make_unique<ForeignPeer>(QStringLiteral("curator-peer"), server.connectString());
    m_kazoo = std::make_unique<ForeignPeer>(QStringLiteral("kazoo-peer"), server.connectString());
}

bool Arena::hasChildren(zk::Coordinator &zk, const zk::Path &path, int count)
{
    try {
        await(untilChildren(zk, path, count));
        return true;
    } catch (const TookTooLong &) {
        return false;
    }
}

Party::Party()
    : m_tasks([this](const std::exception_ptr &error) {
          if (!m_error)
              m_error = error;
      })
{
}

void Party::join()
{
    await(m_tasks.drained());
    if (m_error)
        std::rethrow_exception(m_error);
}

} // namespace drover::test
