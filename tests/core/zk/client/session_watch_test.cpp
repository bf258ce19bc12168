#include "support/session_test_case.h"

#include <QTest>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;

namespace {

using Log = std::vector<QByteArray>;

Task<void> noteEvent(Watch &watch, Log &log)
{
    const WatchEvent event = co_await watch.fired();
    static constexpr const char *Names[] = {"created", "deleted", "changed", "children"};
    log.push_back(QByteArray(Names[static_cast<int>(event.type)]) + ' ' + event.path.bytes());
}

} // namespace

class SessionWatchTest : public test::SessionTestCase
{
    Q_OBJECT

private Q_SLOTS:
    void watchesFireOnceByTheRules() { test::await(watchRules(*m_session, m_root)); }
    void anEventComesBeforeTheReplyThatShowsIt() { test::await(eventFirst(*m_session, m_root)); }

    void anAbandonedWatchIsRemovedAtTheServer()
    {
        auto watches = std::make_unique<std::array<Watch, 4>>();
        test::await(armFour(*m_session, m_root, *watches));
        QCOMPARE(m_fixture.server.watches(), 3); // data and exists share one
        (*watches)[0].disarm();
        test::await(roundTrip(*m_session));
        QCOMPARE(m_fixture.server.watches(), 3); // the exists watch still needs it
        watches.reset();
        QTRY_COMPARE_WITH_TIMEOUT(m_fixture.server.watches(), 0, 30'000);
    }

    void aWatchDroppedBeforeItsReplyIsRemovedToo()
    {
        {
            Watch watch;
            const Reply<Node> dropped = m_session->get(m_root, watch);
        }
        test::await(roundTrip(*m_session));
        QTRY_COMPARE_WITH_TIMEOUT(m_fixture.server.watches(), 0, 30'000);
    }

private:
    static Task<void> roundTrip(Session &session)
    {
        const Answer<Stat> answer = co_await session.exists(Path("/"));
        answer.require();
    }

    static Task<void> watchRules(Session &session, Path root)
    {
        Log log;
        async::TaskGroup group;
        const Path node = root / "n";
        Watch missing;
        const Answer<Node> none = co_await session.get(node, missing);
        CO_COMPARE(none.code(), Code::NoNode);
        CO_VERIFY(!missing.armed());

        Watch exists;
        const Answer<Stat> absent = co_await session.exists(node, exists);
        CO_VERIFY(absent.is(Code::NoNode) && exists.armed());
        Watch children;
        const Answer<Children> empty = co_await session.children(root, children);
        group.spawn(noteEvent(exists, log));
        group.spawn(noteEvent(children, log));
        const Answer<Created> created = co_await session.create(node, QByteArray());
        CO_COMPARE(log.size(), 2u);
        CO_VERIFY(exists.hasFired() && !exists.armed());

        Watch data;
        const Answer<Node> got = co_await session.get(node, data);
        group.spawn(noteEvent(data, log));
        const Answer<Stat> set = co_await session.set(node, "1");
        const Answer<Stat> setAgain = co_await session.set(node, "2");
        CO_COMPARE(log.size(), 3u);

        const Answer<Stat> rearmed = co_await session.exists(node, exists); // one watch object, armed again
        const Answer<Children> listed = co_await session.children(node, children);
        group.spawn(noteEvent(exists, log));
        group.spawn(noteEvent(children, log));
        const Answer<Nothing> removed = co_await session.remove(node);
        CO_COMPARE(log[2], "changed " + node.bytes());
        CO_COMPARE(log[3], "deleted " + node.bytes());
        CO_COMPARE(log[4], "deleted " + node.bytes());
        CO_COMPARE(log.size(), 5u);
        CO_COMPARE(session.counters().watchEvents, 5u);
        CO_VERIFY(group.empty());
    }

    static Task<void> eventFirst(Session &session, Path root)
    {
        Log log;
        async::TaskGroup group;
        Watch watch;
        const Answer<Node> before = co_await session.get(root, watch);
        group.spawn(noteEvent(watch, log));
        Session other(session.loop(), SessionOptions{session.server(), 20s, {}, {}});
        other.open();
        const Answer<Stat> set = co_await other.set(root, "new");
        for (;;) {
            const Answer<Node> got = co_await session.get(root);
            if (got->data == "new")
                break;
            CO_VERIFY(log.empty());
        }
        CO_COMPARE(log.size(), 1u);
    }

    static Task<void> armFour(Session &session, Path root, std::array<Watch, 4> &watches)
    {
        const Answer<Node> data = co_await session.get(root, watches[0]);
        const Answer<Stat> exists = co_await session.exists(root, watches[1]);
        const Answer<Children> children = co_await session.children(root, watches[2]);
        const Answer<Stat> absent = co_await session.exists(root / "none", watches[3]);
    }
};

QTEST_GUILESS_MAIN(SessionWatchTest)
#include "session_watch_test.moc"
