#include "recipes/blocks/each_session.h"
#include "recipes/elections/group.h"
#include "recipes/elections/leader_selector.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class EachSessionTest : public QObject
{
    Q_OBJECT

    // A process whose sessions come and go, and an onlooker.
    struct Reconnecting {
        FakeCluster fake{1};
        ProcessLoop loop{fake.world};
        std::vector<zk::SessionId> sessions; // as they were used
        int made = 0;
        async::TaskGroup tasks;

        Connect connect()
        {
            return [this]() -> std::unique_ptr<zk::Client> {
                ++made;
                return fake.server.connect(loop);
            };
        }
        void expireLast() { fake.server.expire(sessions.back()); }
        void run(SessionBody body)
        {
            tasks.spawn(
                forEachSession(loop, connect(), [this, body](zk::Client &zk) { return noted(sessions, zk, body); }));
        }
        static async::Task<void> noted(std::vector<zk::SessionId> &sessions, zk::Client &zk, SessionBody body)
        {
            co_await zk.connected();
            sessions.push_back(zk.sessionId());
            co_await body(zk);
        }
    };

    static async::Task<void> stayIn(zk::Client &zk, zk::Path path, QByteArray id)
    {
        Group group(zk, path);
        co_await group.stay(id, "data");
    }

    static async::Task<void> followGroup(zk::Client &zk, zk::Path path, QByteArrayList &seen)
    {
        Group group(zk, path);
        const auto onEvent = [&seen](const GroupEvent &event) {
            if (event.type == GroupEvent::Type::Joined)
                seen.append(event.member.id);
        };
        co_await group.follow(onEvent);
    }

    static async::Task<void> sleepForEver(async::Loop &loop)
    {
        for (;;)
            co_await async::sleepFor(loop, 1h);
    }

private Q_SLOTS:
    void aBodyThatReturnsEndsIt()
    {
        Reconnecting process;
        process.run([](zk::Client &zk) { return zk.connected(); });
        process.fake.settle(1s);
        QVERIFY(process.tasks.empty());
        QCOMPARE(process.made, 1);
    }

    void anErrorEndsIt()
    {
        Reconnecting process;
        const auto fail = [](zk::Client &) -> async::Task<void> {
            throw std::runtime_error("broken");
            co_return;
        };
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 process.fake.run(forEachSession(process.loop, process.connect(), fail)));
        QCOMPARE(process.made, 1);
    }

    void pausesGrowUntilOneConnects()
    {
        Reconnecting process;
        std::vector<std::chrono::milliseconds> pauses;
        int lives = 0;
        const auto live = [&](zk::Client &zk) -> async::Task<void> {
            if (++lives == 4)
                co_await zk.connected();
            if (lives < 6)
                throw zk::SessionLost(QStringLiteral("again"));
        };
        const auto onLoss = [&](const zk::SessionLost &, std::chrono::milliseconds pause) { pauses.push_back(pause); };
        process.fake.run(forEachSession(process.loop, process.connect(), live, onLoss, SessionPauses{1s, 3s}));
        QCOMPARE(pauses, (std::vector<std::chrono::milliseconds>{1s, 2s, 3s, 1s, 2s}));
        QCOMPARE(process.made, 6);
    }

    void whileAliveEndsWhatWouldWaitForSomethingElse()
    {
        Reconnecting process;
        process.run([&](zk::Client &zk) { return whileAlive(zk, sleepForEver(zk.loop())); });
        process.fake.settle();
        process.expireLast();
        process.fake.settle(10s);
        QCOMPARE(process.sessions.size(), std::size_t(2));
        QVERIFY(process.sessions[0] != process.sessions[1]);
    }

    void aMembershipIsMadeAnewAfterExpiry()
    {
        const zk::Path path{"/members"};
        Reconnecting process;
        process.run([&](zk::Client &zk) { return stayIn(zk, path, "one"); });
        process.fake.settle();
        for (std::size_t i = 1; i <= 3; ++i) {
            QCOMPARE(process.fake.childrenOf(path), QByteArrayList{"one"});
            QCOMPARE(process.fake.server.tree().find(path / "one")->stat.ephemeralOwner, process.sessions.back());
            QCOMPARE(process.sessions.size(), i);
            process.expireLast();
            process.fake.settle(10s);
        }
        process.tasks.cancelAll();
        process.fake.settle(1s);
        QVERIFY(process.fake.childrenOf(path).isEmpty());
    }

    // CURATOR-623: watches die with the session. Tasks that wait for them must not wait for ever.
    void watchesAreSetAgainInTheNextSession()
    {
        const zk::Path path{"/members"};
        Reconnecting process;
        QByteArrayList seen;
        process.run([&](zk::Client &zk) { return followGroup(zk, path, seen); });
        process.fake.settle();
        Group group(process.fake[0], path);
        const Membership one = process.fake.run(group.join("one"));
        process.fake.settle();
        QCOMPARE(seen, QByteArrayList{"one"});
        process.expireLast();
        process.fake.settle(10s);
        const Membership two = process.fake.run(group.join("two"));
        process.fake.settle();
        QCOMPARE(seen, (QByteArrayList{"one", "one", "two"}));
    }

    void aSelectorStandsAgainAfterExpiry()
    {
        const zk::Path path{"/leader"};
        Reconnecting process;
        std::vector<zk::Zxid> tokens;
        const auto lead = [&](Leadership &leadership) {
            tokens.push_back(leadership.fence().czxid);
            return sleepForEver(process.loop);
        };
        const auto stand = [&](zk::Client &zk) -> async::Task<void> {
            LeaderSelector selector(zk, path);
            const bool ended = co_await selector.run("one", lead, LeaderSelector::Requeue::Always);
            Q_UNUSED(ended)
        };
        process.run(stand);
        process.fake.settle();
        process.expireLast();
        process.fake.settle(10s);
        QCOMPARE(tokens.size(), std::size_t(2));
        QVERIFY(tokens[0] < tokens[1]);
        QCOMPARE(process.fake.childrenOf(path).size(), 1);
    }
};

QTEST_GUILESS_MAIN(EachSessionTest)
#include "each_session_test.moc"
