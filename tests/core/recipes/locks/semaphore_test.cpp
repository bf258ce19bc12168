#include "async/or_timeout.h"
#include "core/recipes/holder.h"
#include "recipes/blocks/line.h"
#include "recipes/locks/semaphore.h"
#include "support/fake/fake_cluster.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

using LeaseHolder = Holder<std::vector<Lease>>;

class SemaphoreTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/semaphore"};
    const zk::Path m_count{"/test/count"};

    qsizetype leases(const FakeCluster &fake) const { return fake.childrenOf(m_path / "leases").size(); }
    qsizetype tickets(const FakeCluster &fake) const { return fake.childrenOf(m_path / "locks").size(); }

    async::Task<void> write(zk::Client &zk, QByteArray count) const
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
    async::Task<void> work(zk::Client &zk, int permits, Load &load)
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
        FakeCluster fake(1);
        Semaphore semaphore(fake[0], m_path, 1);
        const std::vector<Lease> held = fake.run(semaphore.acquire(1, "who"));
        fake.settle();
        const QRegularExpression form(QStringLiteral("^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lease-[0-9]{10}$"));
        const QByteArray name = held.front().fence().path.name();
        QVERIFY2(form.match(QString::fromLatin1(name)).hasMatch(), name.constData());
        QCOMPARE(held.front().fence().path.parent(), m_path / "leases");
        QCOMPARE(tickets(fake), 0); // given up once admitted
        const std::vector<Participant> holders = fake.run(semaphore.participants());
        QCOMPARE(holders.size(), 1u);
        QCOMPARE(holders.front().data, QByteArray("who"));
    }

    void admitsAsManyAsThereArePermits()
    {
        FakeCluster fake(4);
        std::vector<std::unique_ptr<Semaphore>> semaphores;
        std::vector<LeaseHolder> holders(4);
        for (int i = 0; i < 4; ++i) {
            semaphores.push_back(std::make_unique<Semaphore>(fake[i], m_path, 2));
            holders[static_cast<std::size_t>(i)].keep(semaphores.back()->acquire());
            fake.settle();
        }
        QVERIFY(holders[0].has() && holders[1].has() && !holders[2].has() && !holders[3].has());
        holders[0].drop();
        fake.settle();
        QVERIFY(holders[2].has() && !holders[3].has());
        fake.server.expire(fake[1].sessionId()); // a crash gives its lease back
        fake.settle();
        QVERIFY(holders[3].has());
    }

    // kazoo #213, #429.
    void underContentionTheLimitHolds()
    {
        constexpr int Workers = 12;
        FakeCluster fake(Workers, {.latency = 1ms});
        Load load;
        std::exception_ptr error;
        async::TaskGroup workers([&](const std::exception_ptr &e) { error = e; });
        for (int i = 0; i < Workers; ++i)
            workers.spawn(work(fake[i], 3, load));
        fake.world.runUntil([&] { return workers.empty(); });
        QVERIFY(!error);
        QCOMPARE(load.rounds, Workers * 10);
        QCOMPARE(load.most, 3); // and as many as that
        fake.settle(1s);
        QCOMPARE(leases(fake), 0);
        QCOMPARE(tickets(fake), 0);
        QVERIFY(fake.server.watches().empty());
    }

    void severalAreHadAtOnceOrNotAtAll()
    {
        FakeCluster fake(2, {.latency = 5ms});
        Semaphore first(fake[0], m_path, 4);
        Semaphore second(fake[1], m_path, 4);
        LeaseHolder three;
        LeaseHolder both;
        three.keep(first.acquire(3));
        both.keep(second.acquire(3)); // two that hold a part each would wait for ever
        fake.settle(1s);
        QCOMPARE(three.has() + both.has(), 1);
        (three.has() ? three : both).drop();
        fake.settle(1s);
        QCOMPARE(three.has() + both.has(), 1);
        QVERIFY(!three.waits() && !both.waits());
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(first.acquire(5)));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(first.acquire(0)));
    }

    void leasesOfOneAcquireAreReturnedOneByOne()
    {
        FakeCluster fake(1);
        Semaphore semaphore(fake[0], m_path, 3);
        std::vector<Lease> held = fake.run(semaphore.acquire(3));
        QVERIFY(!fake.run(semaphore.tryAcquire()));
        held.pop_back();
        QVERIFY(fake.run(semaphore.tryAcquire()));
    }

    void uncontendedThreePermitsCostTwoRoundTrips()
    {
        FakeCluster fake(1, {.latency = 5ms});
        Semaphore semaphore(fake[0], m_path, 3);
        fake.run(semaphore.acquire()).clear(); // makes the directories
        fake.settle();
        const async::TimePoint before = fake.world.now();
        const std::vector<Lease> held = fake.run(semaphore.acquire(3));
        QCOMPARE(fake.world.now() - before, async::Duration(20ms));
    }

    // Another client is being admitted, and there is room for both.
    void aTryWaitsForTheClientThatIsBeingAdmitted()
    {
        FakeCluster fake(2);
        std::optional<Ticket::Taken> first = fake.run(Ticket::take(fake[0], m_path / "locks", "lock-", "first"));
        Semaphore semaphore(fake[1], m_path, 2);
        Holder<std::optional<std::vector<Lease>>> tried;
        tried.keep(semaphore.tryAcquire());
        fake.settle();
        QVERIFY(tried.waits());
        first.reset();
        fake.settle();
        QVERIFY(tried.has() && *tried);
        QCOMPARE(tickets(fake), 0);
        QVERIFY(fake.server.watches().empty());
    }

    void aTryIsRefusedOnceThereIsNoRoom()
    {
        FakeCluster fake(3);
        Semaphore first(fake[0], m_path, 3);
        Semaphore second(fake[1], m_path, 3);
        Semaphore third(fake[2], m_path, 3);
        const std::vector<Lease> held = fake.run(first.acquire(2));
        std::optional<Ticket::Taken> ahead = fake.run(Ticket::take(fake[1], m_path / "locks", "lock-", "ahead"));
        Holder<std::optional<std::vector<Lease>>> tried;
        tried.keep(third.tryAcquire());
        fake.settle();
        QVERIFY(tried.waits());
        const Ticket::Taken lease = fake.run(Ticket::take(fake[1], m_path / "leases", "lease-", "ahead"));
        fake.settle(); // who is ahead has made its lease, and has not given up its ticket yet
        QVERIFY(tried.has() && !*tried);
        ahead.reset();

        LeaseHolder waits;
        waits.keep(second.acquire(2));
        fake.settle();
        QVERIFY(waits.waits());
        QVERIFY(!fake.run(third.tryAcquire())); // at once: that one was there before
        fake.settle();
        QCOMPARE(tickets(fake), 1);
        QCOMPARE(leases(fake), 2 + 1 + 2);
    }

    // Tries that come at the same time share the permits. One that asks for too many does not hinder the others.
    void triesAtTheSameTimeShareWhatThereIs()
    {
        FakeCluster fake(5, {.latency = 5ms});
        const std::vector<int> wanted{3, 2, 1, 1, 1}; // of four: the first and the third get it
        std::vector<std::unique_ptr<Semaphore>> semaphores;
        std::vector<Holder<std::optional<std::vector<Lease>>>> tries(5);
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 5; ++i) {
                semaphores.push_back(std::make_unique<Semaphore>(fake[i], m_path, 4));
                tries[static_cast<std::size_t>(i)].keep(
                    semaphores.back()->tryAcquire(wanted[static_cast<std::size_t>(i)]));
            }
            fake.settle(1s);
            int had = 0;
            for (std::size_t i = 0; i < 5; ++i) {
                QVERIFY(tries[i].has());
                had += *tries[i] ? wanted[i] : 0;
            }
            QCOMPARE(had, 4);
            for (auto &tried : tries)
                tried.drop();
            fake.settle();
            QCOMPARE(leases(fake), 0);
        }
    }

    void aTimeOutLeavesNoNode()
    {
        FakeCluster fake(3);
        Semaphore first(fake[0], m_path, 1);
        Semaphore second(fake[1], m_path, 1);
        Semaphore third(fake[2], m_path, 1);
        const std::vector<Lease> held = fake.run(first.acquire());
        LeaseHolder waits;
        waits.keep(second.acquire()); // is being admitted
        fake.settle();
        QVERIFY_THROWS_EXCEPTION(async::Timeout, // in line for admission
                                 fake.run(async::orTimeout(fake.process(2), third.acquire(), 2s)));
        fake.settle();
        QCOMPARE(tickets(fake), 1);
        waits.cancel();
        fake.settle();
        QCOMPARE(tickets(fake), 0);
        QCOMPARE(leases(fake), 1);
        QVERIFY(fake.server.watches().empty());
    }

    // Four bytes, the most significant first.
    void permitsMayBeShared()
    {
        FakeCluster fake(2);
        Semaphore semaphore(fake[0], m_path, m_count);
        QVERIFY_THROWS_EXCEPTION(zk::Error, fake.run(semaphore.acquire()));
        fake.run(write(fake[1], "three"));
        QVERIFY_THROWS_EXCEPTION(zk::Error, fake.run(semaphore.acquire()));
        fake.settle();
        QCOMPARE(leases(fake), 0);
        fake.run(write(fake[1], QByteArray::fromHex("00000002")));
        const std::vector<Lease> held = fake.run(semaphore.acquire(2));
        LeaseHolder third;
        third.keep(semaphore.acquire());
        fake.settle();
        QVERIFY(!third.has());
        fake.run(write(fake[1], QByteArray::fromHex("00000103")));
        fake.settle();
        QVERIFY(third.has());
        QVERIFY(fake.run(semaphore.tryAcquire(256)));
        fake.settle();
        QVERIFY(fake.server.watches().empty());
    }

    void fewerPermitsTakeNoLeaseAway()
    {
        FakeCluster fake(2);
        fake.run(write(fake[1], QByteArray::fromHex("00000002")));
        Semaphore semaphore(fake[0], m_path, m_count);
        std::vector<Lease> held = fake.run(semaphore.acquire(2));
        fake.run(write(fake[1], QByteArray::fromHex("00000001")));
        QCOMPARE(leases(fake), 2);
        held.pop_back();
        QVERIFY(!fake.run(semaphore.tryAcquire()));
        held.pop_back();
        QVERIFY(fake.run(semaphore.tryAcquire()));
    }

    // The ticket is deleted by another hand while its owner waits for room: the next in line is admitted beside it, and
    // each would wait for the other's part.
    void aClientThatLosesItsTicketGivesItsLeasesBack()
    {
        FakeCluster fake(3);
        std::vector<std::unique_ptr<Semaphore>> semaphores;
        std::vector<LeaseHolder> holders(3);
        for (int i = 0; i < 3; ++i)
            semaphores.push_back(std::make_unique<Semaphore>(fake[i], m_path, 3));
        holders[0].keep(semaphores[0]->acquire(2));
        fake.settle();
        holders[1].keep(semaphores[1]->acquire(2));
        fake.settle();
        holders[2].keep(semaphores[2]->acquire(2));
        fake.settle();
        const QByteArray ticket = sortedBySequence(fake.childrenOf(m_path / "locks")).front();
        fake.get(fake[0].remove(m_path / "locks" / ticket)).require();
        fake.settle();
        QVERIFY(holders[1].error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(holders[1].error()));
        QVERIFY(!holders[2].has());
        holders[0].drop();
        fake.settle();
        QVERIFY(holders[2].has());
        QCOMPARE(leases(fake), 2);
        QVERIFY(fake.server.watches().empty());
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
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path / "locks"));
        fake.run(fake[0].ensurePath(m_path / "leases"));
        fake.add({.faults = &faults});
        Semaphore semaphore(fake[1], m_path, 1);
        const std::vector<Lease> held = fake.run(semaphore.acquire());
        fake.settle(3s);
        QCOMPARE(faults.log().total(), 1u);
        QCOMPARE(leases(fake), 1);
        QCOMPARE(tickets(fake), 0);
    }

    // The leases vanish with their directory while a client waits for room. It gets an error and does not hang.
    void aDirectoryThatVanishesDoesNotHang()
    {
        FakeCluster fake(2);
        Semaphore first(fake[0], m_path, 1);
        Semaphore second(fake[1], m_path, 1);
        const std::vector<Lease> held = fake.run(first.acquire());
        LeaseHolder waits;
        waits.keep(second.acquire());
        fake.settle();
        QByteArrayList names = sortedBySequence(fake.childrenOf(m_path / "leases"));
        std::reverse(names.begin(), names.end()); // else its turn would come when the holder's goes
        for (const QByteArray &name : names)
            fake.get(fake[0].remove(m_path / "leases" / name)).require();
        fake.get(fake[0].remove(m_path / "leases")).require();
        fake.settle();
        QVERIFY(waits.error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(waits.error()));
        QVERIFY(fake.run(second.tryAcquire())); // made again
    }

    void usedUpNumbersAreRefused()
    {
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path / "leases"));
        fake.server.tree().setNextSequence(m_path / "leases", zk::LastSequence);
        Semaphore semaphore(fake[0], m_path, 2);
        QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, fake.run(semaphore.acquire(2)));
        fake.settle();
        QCOMPARE(leases(fake), 0);
        QCOMPARE(tickets(fake), 0);
    }
};

QTEST_GUILESS_MAIN(SemaphoreTest)
#include "semaphore_test.moc"
