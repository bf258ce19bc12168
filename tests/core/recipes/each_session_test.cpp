#include "recipes/each_session.h"
#include "recipes/group.h"
#include "recipes/leader_selector.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class EachSessionTest : public QObject
{
    Q_OBJECT

    // A process whose sessions come and go, and an onlooker.
    struct World {
        FakeParty party{1};
        ParticipantLoop process{party.world};
        std::vector<zk::SessionId> sessions; // as they were used
        int made = 0;
        async::TaskGroup tasks;

        Connect connect()
        {
            return [this]() -> std::unique_ptr<zk::Coordinator> {
                ++made;
                return party.server.connect(process);
            };
        }
        void expireLast() { party.server.expire(sessions.back()); }
        void run(SessionBody body)
        {
            tasks.spawn(forEachSession(process, connect(),
                                       [this, body](zk::Coordinator &zk) { return noted(sessions, zk, body); }));
        }
        static async::Task<void> noted(std::vector<zk::SessionId> &sessions, zk::Coordinator &zk, SessionBody body)
        {
            co_await zk.connected();
            sessions.push_back(zk.sessionId());
            co_await body(zk);
        }
    };

    static async::Task<void> stayIn(zk::Coordinator &zk, zk::Path path, QByteArray id)
    {
        Group group(zk, path);
        co_await group.stay(id, "data");
    }

    static async::Task<void> followGroup(zk::Coordinator &zk, zk::Path path, QByteArrayList &seen)
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
        World world;
        world.run([](zk::Coordinator &zk) { return zk.connected(); });
        world.party.settle(1s);
        QVERIFY(world.tasks.empty());
        QCOMPARE(world.made, 1);
    }

    void anErrorEndsIt()
    {
        World world;
        const auto fail = [](zk::Coordinator &) -> async::Task<void> {
            throw std::runtime_error("broken");
            co_return;
        };
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 world.party.run(forEachSession(world.process, world.connect(), fail)));
        QCOMPARE(world.made, 1);
    }

    void pausesGrowUntilOneConnects()
    {
        World world;
        std::vector<std::chrono::milliseconds> pauses;
        int lives = 0;
        const auto live = [&](zk::Coordinator &zk) -> async::Task<void> {
            if (++lives == 4)
                co_await zk.connected();
            if (lives < 6)
                throw zk::SessionLost(QStringLiteral("again"));
        };
        const auto onLoss = [&](const zk::SessionLost &, std::chrono::milliseconds pause) { pauses.push_back(pause); };
        world.party.run(forEachSession(world.process, world.connect(), live, onLoss, SessionPauses{1s, 3s}));
        QCOMPARE(pauses, (std::vector<std::chrono::milliseconds>{1s, 2s, 3s, 1s, 2s}));
        QCOMPARE(world.made, 6);
    }

    void whileAliveEndsWhatWouldWaitForSomethingElse()
    {
        World world;
        world.run([&](zk::Coordinator &zk) { return whileAlive(zk, sleepForEver(zk.loop())); });
        world.party.settle();
        world.expireLast();
        world.party.settle(10s);
        QCOMPARE(world.sessions.size(), std::size_t(2));
        QVERIFY(world.sessions[0] != world.sessions[1]);
    }

    void aMembershipIsMadeAnewAfterExpiry()
    {
        const zk::Path path{"/members"};
        World world;
        world.run([&](zk::Coordinator &zk) { return stayIn(zk, path, "one"); });
        world.party.settle();
        for (std::size_t i = 1; i <= 3; ++i) {
            QCOMPARE(world.party.childrenOf(path), QByteArrayList{"one"});
            QCOMPARE(world.party.server.tree().find(path / "one")->stat.ephemeralOwner, world.sessions.back());
            QCOMPARE(world.sessions.size(), i);
            world.expireLast();
            world.party.settle(10s);
        }
        world.tasks.cancelAll();
        world.party.settle(1s);
        QVERIFY(world.party.childrenOf(path).isEmpty());
    }

    // CURATOR-623: watches die with the session, and with them whoever waits for them.
    void lesson14_watchesAreSetAgainInTheNextSession()
    {
        const zk::Path path{"/members"};
        World world;
        QByteArrayList seen;
        world.run([&](zk::Coordinator &zk) { return followGroup(zk, path, seen); });
        world.party.settle();
        Group group(world.party[0], path);
        const Membership one = world.party.run(group.join("one"));
        world.party.settle();
        QCOMPARE(seen, QByteArrayList{"one"});
        world.expireLast();
        world.party.settle(10s);
        const Membership two = world.party.run(group.join("two"));
        world.party.settle();
        QCOMPARE(seen, (QByteArrayList{"one", "one", "two"}));
    }

    void aSelectorStandsAgainAfterExpiry()
    {
        const zk::Path path{"/leader"};
        World world;
        std::vector<zk::Zxid> tokens;
        const auto lead = [&](Leadership &leadership) {
            tokens.push_back(leadership.fence().czxid);
            return sleepForEver(world.process);
        };
        const auto stand = [&](zk::Coordinator &zk) -> async::Task<void> {
            LeaderSelector selector(zk, path);
            const bool ended = co_await selector.run("one", lead, LeaderSelector::Requeue::Always);
            Q_UNUSED(ended)
        };
        world.run(stand);
        world.party.settle();
        world.expireLast();
        world.party.settle(10s);
        QCOMPARE(tokens.size(), std::size_t(2));
        QVERIFY(tokens[0] < tokens[1]);
        QCOMPARE(world.party.childrenOf(path).size(), 1);
    }
};

QTEST_GUILESS_MAIN(EachSessionTest)
#include "each_session_test.moc"
