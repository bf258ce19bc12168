#include "core/recipes/elections/election_helpers.h"
#include "recipes/elections/master.h"
#include "support/session_fixture.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// Elections on a real server: what the in-memory one shows in virtual time holds there as well.
class LeaderLatchRealTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/election"};

    // Elected, it notes when.
    static async::Task<void> stand(zk::Client &zk, zk::Path path, std::vector<async::TimePoint> &elected,
                                   std::optional<Leadership> &held)
    {
        LeaderLatch latch(zk, path);
        Leadership leadership = co_await latch.campaign("standby");
        elected.push_back(zk.loop().now());
        held.emplace(std::move(leadership));
    }

private Q_SLOTS:
    // The leader closes its session cleanly, and the next one leads a message later. The test prints the time and does
    // not assert it.
    void handsOverWhenTheLeaderCloses()
    {
        SessionFixture fixture;
        fixture.server.start();
        std::vector<double> milliseconds;
        for (int i = 0; i < 10; ++i) {
            std::unique_ptr<zk::Session> leader = fixture.connected(fixture.options());
            const auto heir = fixture.connected(fixture.options());
            LeaderLatch latch(*leader, m_path);
            std::optional<Leadership> leadership = await(latch.campaign("leader"));
            std::vector<async::TimePoint> elected;
            std::optional<Leadership> inherited;
            async::TaskGroup standing;
            standing.spawn(stand(*heir, m_path, elected, inherited));
            QVERIFY(QTest::qWaitFor([&] { return await(latch.participants()).size() == 2; }, 30000));
            QVERIFY(elected.empty());
            const async::TimePoint resigned = fixture.loop.now();
            leadership.reset();
            await(leader->close());
            QVERIFY(QTest::qWaitFor([&] { return !elected.empty(); }, 30000));
            milliseconds.push_back(std::chrono::duration<double, std::milli>(elected.front() - resigned).count());
        }
        std::sort(milliseconds.begin(), milliseconds.end());
        qInfo("hand-over after a clean close: median %.2f ms, longest %.2f ms", milliseconds[milliseconds.size() / 2],
              milliseconds.back());
    }

    // The epoch on a real server: the result of setData in the transaction that creates the node.
    void aMastersFenceIsItsOwn()
    {
        SessionFixture fixture;
        fixture.server.start();
        const auto first = fixture.connected(fixture.options());
        const auto second = fixture.connected(fixture.options());
        await(first->ensurePath(zk::Path("/decision")));
        Master one(*first, zk::Path("/master"));
        Master two(*second, zk::Path("/master"));
        std::optional<Leadership> deposed = await(one.campaign("one:1"));
        QVERIFY(await(guardedWrite(*first, deposed->fence())));
        deposed->resign();
        const Leadership master = await(two.campaign("two:2"));
        const std::optional<Participant> seen = await(one.master());
        QVERIFY(seen);
        QCOMPARE(seen->data, QByteArray("two:2"));
        QCOMPARE(seen->fence.czxid, master.fence().czxid);
        QVERIFY(!await(guardedWrite(*first, deposed->fence())));
        QVERIFY(await(guardedWrite(*second, master.fence())));
    }
};

QTEST_GUILESS_MAIN(LeaderLatchRealTest)
#include "leader_latch_real_test.moc"
