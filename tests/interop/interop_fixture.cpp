#include "interop/interop_fixture.h"

#include <QTest>

namespace drover::test {

using namespace std::chrono_literals;

namespace {

async::Task<void> untilChildren(zk::Client &zk, zk::Path path, std::function<bool(const QByteArrayList &)> wanted)
{
    for (;;) {
        const zk::Answer<zk::Children> children = co_await zk.children(path);
        if (wanted(children.ok() ? children->names : QByteArrayList()))
            co_return;
        co_await async::sleepFor(zk.loop(), 2ms);
    }
}

} // namespace

InteropFixture::InteropFixture(const QString &chroot)
{
    server.start();
    m_curator = std::make_unique<ForeignPeer>("curator", server.connectString() + chroot);
    m_kazoo = std::make_unique<ForeignPeer>("kazoo", server.connectString() + chroot);
    for (int i = 0; i < 3; ++i)
        m_sessions.push_back(connected(options()));
}

bool InteropFixture::childrenBecome(const zk::Path &path, std::function<bool(const QByteArrayList &)> wanted)
{
    try {
        await(untilChildren(ours(0), path, std::move(wanted)));
        return true;
    } catch (const TookTooLong &) {
        return false;
    }
}

bool InteropFixture::hasChildren(const zk::Path &path, int count)
{
    return childrenBecome(path, [count](const QByteArrayList &names) { return names.size() == count; });
}

bool InteropFixture::hasWatchers(const zk::Path &path, int count)
{
    // A line for the path, then an indented one for each session.
    const auto watchers = [&] {
        int sessions = 0;
        bool here = false;
        for (const QByteArray &line : server.ask("wchp").split('\n')) {
            if (!line.startsWith('\t'))
                here = line == path.bytes();
            else if (here)
                ++sessions;
        }
        return sessions;
    };
    return QTest::qWaitFor([&] { return watchers() == count; }, 60'000);
}

} // namespace drover::test
