#include "async/or_timeout.h"
#include "core/recipes/keeper.h"
#include "recipes/line.h"
#include "recipes/semaphore.h"
#include "support/fake_party.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

using LeaseKeeper = Keeper<std::vector<Lease>>;

class SemaphoreTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/semaphore"};
    const zk::Path m_count{"/test/count"};

    qsizetype leases(const FakeParty &party) const { return party.childrenOf(m_path / "leases").size(); }
    qsizetype tickets(const FakeParty &party) const { return party.childrenOf(m_path / "locks").size(); }

    async::Task<void> write(zk::Coordinator &zk, QByteArray count) const
    {
        co_await zk.ensurePath(m_count);
        const zk::Answer<zk::Stat> written = co_await zk.set(m_count, count);
        written.require();
    }

    // Holds one lease after another, for a while each; the greatest number of holders at a time is noted.
    struct Load {
        int holders = 0;
        int most = 0;
        int rounds = 0;
    };
    async::Task<void> work(zk::Coordinator &zk, int permits, Load &load)
    {
        Semaphore semaphore(zk, m_path, permits);
        for (int i = 0; i < 10; ++i) {
            std::vector<Lease> held = co_await semaphore.acquire();
            load.most = std::max(load.most, ++load.holders);
            co_await async::sleepFor(zk.loop(), 30ms);
            --load.holders;
            held.clear();
            ++load.rounds;
        }
    }

private Q_SLOTS:
    void isLaidOutAsCuratorsIs()
    {
        FakeParty party(1);
        Semaphore semaphore(party[0], m_path, 1);
        const std::vector<Lease> held = party.run(semaphore.acquire(1, "who"));
        party.settle();
        const QRegularExpression form(QStringLiteral("^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lease-[0-9]{10}$"));
        const QByteArray name = held.front().fence().path.name();
        QVERIFY2(form.match(QString::fromLatin1(name)).hasMatch(), name.constData());
        QCOMPARE(held.front().fence().path.parent(), m_path / "leases");
        QCOMPARE(tickets(party), 0); // given up once admitted
        const std::vector<Participant> holders = party.run(semaphore.participants());
        QCOMPARE(holders.size(), 1u);
        QCOMPARE(holders.front().data, QByteArray("who"));
    }

    void admitsAsManyAsThereArePermits()
    {
        FakeParty party(4);
        std::vector<std::unique_ptr<Semaphore>> semaphores;
        std::vector<LeaseKeeper> keepers(4);
        for (int i = 0; i < 4; ++i) {
            semaphores.push_back(std::make_unique<Semaphore>(party[i], m_path, 2));
            keepers[static_cast<std::size_t>(i)].keep(semaphores.back()->acquire());
            party.settle();
        }
        QVERIFY(keepers[0].has() && keepers[1].has() && !keepers[2].has() && !keepers[3].has());
        keepers[0].drop();
        party.settle();
        QVERIFY(keepers[2].has() && !keepers[3].has());
        party.server.expire(party[1].sessionId()); // a crash gives its lease back
        party.settle();
        QVERIFY(keepers[3].has());
    }

    // kazoo #213, #429.
    void underContentionNobodyIsAdmittedTooMany()
    {
        constexpr int Workers = 12;
        FakeParty party(Workers, {.latency = 1ms});
        Load load;
        std::exception_ptr error;
        async::TaskGroup workers([&](const std::exception_ptr &e) { error = e; });
        for (int i = 0; i < Workers; ++i)
            workers.spawn(work(party[i], 3, load));
        party.world.runUntil([&] { return workers.empty(); });
        QVERIFY(!error);
        QCOMPARE(load.rounds, Workers * 10);
        QCOMPARE(load.most, 3); // and as many as that
        party.settle(1s);
        QCOMPARE(leases(party), 0);
        QCOMPARE(tickets(party), 0);
        QVERIFY(party.server.watches().empty());
    }

    void severalAreHadAtOnceOrNotAtAll()
    {
        FakeParty party(2, {.latency = 5ms});
        Semaphore first(party[0], m_path, 4);
        Semaphore second(party[1], m_path, 4);
        LeaseKeeper three;
        LeaseKeeper both;
        three.keep(first.acquire(3));
        both.keep(second.acquire(3)); // two that hold a part each would wait for ever
        party.settle(1s);
        QCOMPARE(three.has() + both.has(), 1);
        (three.has() ? three : both).drop();
        party.settle(1s);
        QCOMPARE(three.has() + both.has(), 1);
        QVERIFY(!three.waits() && !both.waits());
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, party.run(first.acquire(5)));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, party.run(first.acquire(0)));
    }

    void leasesOfOneAcquireAreReturnedOneByOne()
    {
        FakeParty party(1);
        Semaphore semaphore(party[0], m_path, 3);
        std::vector<Lease> held = party.run(semaphore.acquire(3));
        QVERIFY(!party.run(semaphore.tryAcquire()));
        held.pop_back();
        QVERIFY(party.run(semaphore.tryAcquire()));
    }

    void uncontendedItCostsTwoRoundTrips()
    {
        FakeParty party(1, {.latency = 5ms});
        Semaphore semaphore(party[0], m_path, 3);
        party.run(semaphore.acquire()).clear(); // makes the directories
        for (const int n : {1, 3}) {
            party.settle();
            const async::TimePoint before = party.world.now();
            std::vector<Lease> held = party.run(semaphore.acquire(n));
            QCOMPARE(party.world.now() - before, async::Duration(20ms));
        }
    }

    void aTryLeavesNoNode()
    {
        FakeParty party(2);
        Semaphore first(party[0], m_path, 1);
        Semaphore second(party[1], m_path, 1);
        std::vector<Lease> held = party.run(first.acquire());
        QVERIFY(!party.run(second.tryAcquire()));
        party.settle();
        QCOMPARE(leases(party), 1);
        QCOMPARE(tickets(party), 0);
        held.clear();
        QVERIFY(party.run(second.tryAcquire()));
    }

    // Somebody is being admitted, and there is room for both.
    void aTryWaitsForWhoIsBeingAdmitted()
    {
        FakeParty party(2);
        std::optional<Ticket::Taken> first = party.run(Ticket::take(party[0], m_path / "locks", "lock-", "first"));
        Semaphore semaphore(party[1], m_path, 2);
        Keeper<std::optional<std::vector<Lease>>> tried;
        tried.keep(semaphore.tryAcquire());
        party.settle();
        QVERIFY(tried.waits());
        first.reset();
        party.settle();
        QVERIFY(tried.has() && *tried);
        QCOMPARE(tickets(party), 0);
        QVERIFY(party.server.watches().empty());
    }

    void aTryIsRefusedOnceThereIsNoRoom()
    {
        FakeParty party(3);
        Semaphore first(party[0], m_path, 3);
        Semaphore second(party[1], m_path, 3);
        Semaphore third(party[2], m_path, 3);
        const std::vector<Lease> held = party.run(first.acquire(2));
        std::optional<Ticket::Taken> ahead = party.run(Ticket::take(party[1], m_path / "locks", "lock-", "ahead"));
        Keeper<std::optional<std::vector<Lease>>> tried;
        tried.keep(third.tryAcquire());
        party.settle();
        QVERIFY(tried.waits());
        const Ticket::Taken lease = party.run(Ticket::take(party[1], m_path / "leases", "lease-", "ahead"));
        party.settle(); // who is ahead has made its lease, and has not given up its ticket yet
        QVERIFY(tried.has() && !*tried);
        ahead.reset();

        LeaseKeeper waits;
        waits.keep(second.acquire(2));
        party.settle();
        QVERIFY(waits.waits());
        QVERIFY(!party.run(third.tryAcquire())); // at once: that one was there before
        party.settle();
        QCOMPARE(tickets(party), 1);
        QCOMPARE(leases(party), 2 + 1 + 2);
    }

    // Each that comes at the same time gets what there is for it, and one that asks for too much is in nobody's way.
    void triesAtTheSameTimeShareWhatThereIs()
    {
        FakeParty party(5, {.latency = 5ms});
        const std::vector<int> wanted{3, 2, 1, 1, 1}; // of four: the first and the third get it
        std::vector<std::unique_ptr<Semaphore>> semaphores;
        std::vector<Keeper<std::optional<std::vector<Lease>>>> tries(5);
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 5; ++i) {
                semaphores.push_back(std::make_unique<Semaphore>(party[i], m_path, 4));
                tries[static_cast<std::size_t>(i)].keep(
                    semaphores.back()->tryAcquire(wanted[static_cast<std::size_t>(i)]));
            }
            party.settle(1s);
            int had = 0;
            for (std::size_t i = 0; i < 5; ++i) {
                QVERIFY(tries[i].has());
                had += *tries[i] ? wanted[i] : 0;
            }
            QCOMPARE(had, 4);
            for (auto &tried : tries)
                tried.drop();
            party.settle();
            QCOMPARE(leases(party), 0);
        }
    }

    void aTimeOutLeavesNoNode()
    {
        FakeParty party(3);
        Semaphore first(party[0], m_path, 1);
        Semaphore second(party[1], m_path, 1);
        Semaphore third(party[2], m_path, 1);
        const std::vector<Lease> held = party.run(first.acquire());
        LeaseKeeper waits;
        waits.keep(second.acquire()); // is being admitted
        party.settle();
        QVERIFY_THROWS_EXCEPTION(async::Timeout, // in line for admission
                                 party.run(async::orTimeout(party.process(2), third.acquire(), 2s)));
        party.settle();
        QCOMPARE(tickets(party), 1);
        waits.cancel();
        party.settle();
        QCOMPARE(tickets(party), 0);
        QCOMPARE(leases(party), 1);
        QVERIFY(party.server.watches().empty());
    }

    // Four bytes, the most significant first.
    void permitsMayBeShared()
    {
        FakeParty party(2);
        Semaphore semaphore(party[0], m_path, m_count);
        QVERIFY_THROWS_EXCEPTION(zk::Error, party.run(semaphore.acquire()));
        party.run(write(party[1], "three"));
        QVERIFY_THROWS_EXCEPTION(zk::Error, party.run(semaphore.acquire()));
        party.settle();
        QCOMPARE(leases(party), 0);
        party.run(write(party[1], QByteArray::fromHex("00000002")));
        const std::vector<Lease> held = party.run(semaphore.acquire(2));
        LeaseKeeper third;
        third.keep(semaphore.acquire());
        party.settle();
        QVERIFY(!third.has());
        party.run(write(party[1], QByteArray::fromHex("00000103")));
        party.settle();
        QVERIFY(third.has());
        QVERIFY(party.run(semaphore.tryAcquire(256)));
        party.settle();
        QVERIFY(party.server.watches().empty());
    }

    void fewerPermitsTakeNoLeaseAway()
    {
        FakeParty party(2);
        party.run(write(party[1], QByteArray::fromHex("00000002")));
        Semaphore semaphore(party[0], m_path, m_count);
        std::vector<Lease> held = party.run(semaphore.acquire(2));
        party.run(write(party[1], QByteArray::fromHex("00000001")));
        QCOMPARE(leases(party), 2);
        held.pop_back();
        QVERIFY(!party.run(semaphore.tryAcquire()));
        held.pop_back();
        QVERIFY(party.run(semaphore.tryAcquire()));
    }

    // The ticket is deleted by another hand while its owner waits for room: the next in line is admitted beside it, and
    // each would wait for the other's part.
    void whoLosesItsTicketGivesItsPartBack()
    {
        FakeParty party(3);
        std::vector<std::unique_ptr<Semaphore>> semaphores;
        std::vector<LeaseKeeper> keepers(3);
        for (int i = 0; i < 3; ++i)
            semaphores.push_back(std::make_unique<Semaphore>(party[i], m_path, 3));
        keepers[0].keep(semaphores[0]->acquire(2));
        party.settle();
        keepers[1].keep(semaphores[1]->acquire(2));
        party.settle();
        keepers[2].keep(semaphores[2]->acquire(2));
        party.settle();
        const QByteArray ticket = inOrder(party.childrenOf(m_path / "locks")).front();
        const auto remove = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await party[0].remove(m_path / "locks" / ticket);
            removed.require();
        };
        party.run(remove());
        party.settle();
        QVERIFY(keepers[1].error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(keepers[1].error()));
        QVERIFY(!keepers[2].has());
        keepers[0].drop();
        party.settle();
        QVERIFY(keepers[2].has());
        QCOMPARE(leases(party), 2);
        QVERIFY(party.server.watches().empty());
    }

    void aLostReplyMakesNoSecondLease_data()
    {
        QTest::addColumn<int>("operation");
        for (int i = 1; i <= 5; ++i)
            QTest::addRow("operation %d", i) << i;
    }
    void aLostReplyMakesNoSecondLease()
    {
        QFETCH(int, operation);
        FaultPlan plan;
        plan.scripted[static_cast<quint64>(operation)] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path / "locks"));
        party.run(party[0].ensurePath(m_path / "leases"));
        party.add({.faults = &faults});
        Semaphore semaphore(party[1], m_path, 1);
        const std::vector<Lease> held = party.run(semaphore.acquire());
        party.settle(3s);
        QCOMPARE(faults.log().total(), 1u);
        QCOMPARE(leases(party), 1);
        QCOMPARE(tickets(party), 0);
    }

    // The leases vanish with their directory while one waits for room: it is told, and does not hang.
    void lesson09_aDirectoryThatVanishesDoesNotHang()
    {
        FakeParty party(2);
        Semaphore first(party[0], m_path, 1);
        Semaphore second(party[1], m_path, 1);
        const std::vector<Lease> held = party.run(first.acquire());
        LeaseKeeper waits;
        waits.keep(second.acquire());
        party.settle();
        QByteArrayList names = inOrder(party.childrenOf(m_path / "leases"));
        std::reverse(names.begin(), names.end()); // else its turn would come when the holder's goes
        const auto removeAll = [&]() -> async::Task<void> {
            for (const QByteArray &name : names) {
                const zk::Answer<zk::Nothing> removed = co_await party[0].remove(m_path / "leases" / name);
                removed.require();
            }
            const zk::Answer<zk::Nothing> removed = co_await party[0].remove(m_path / "leases");
            removed.require();
        };
        party.run(removeAll());
        party.settle();
        QVERIFY(waits.error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(waits.error()));
        QVERIFY(party.run(second.tryAcquire())); // made again
    }

    void lesson12_usedUpNumbersAreRefused()
    {
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path / "leases"));
        party.server.tree().setNextSequence(m_path / "leases", zk::LastSequence);
        Semaphore semaphore(party[0], m_path, 2);
        QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, party.run(semaphore.acquire(2)));
        party.settle();
        QCOMPARE(leases(party), 0);
        QCOMPARE(tickets(party), 0);
    }
};

QTEST_GUILESS_MAIN(SemaphoreTest)
#include "semaphore_test.moc"
