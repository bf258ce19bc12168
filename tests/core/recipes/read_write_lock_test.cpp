#include "core/recipes/keeper.h"
#include "recipes/read_write_lock.h"
#include "support/fake_party.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class ReadWriteLockTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/rw"};

    // A process with its lock object and what it keeps.
    struct Process {
        Process(zk::Coordinator &zk, const zk::Path &path) : lock(zk, path) { }

        ReadWriteLock lock;
        Owner owner;
        LockKeeper reading;
        LockKeeper writing;

        void read() { reading.keep(lock.reader().acquire({}, owner)); }
        void write() { writing.keep(lock.writer().acquire({}, owner)); }
    };

    std::vector<std::unique_ptr<Process>> processes(FakeParty &party, int count) const
    {
        std::vector<std::unique_ptr<Process>> all;
        for (int i = 0; i < count; ++i)
            all.push_back(std::make_unique<Process>(party[i], m_path));
        return all;
    }

private Q_SLOTS:
    void countsWhoHoldsIt()
    {
        QCOMPARE(ReadWriteLock::holders({}), 0);
        QCOMPARE(ReadWriteLock::holders({"a__WRIT__0000000001", "a__READ__0000000002"}), 1);
        QCOMPARE(ReadWriteLock::holders({"a-lock-0000000001", "a-lock-0000000002"}), 1);
        QCOMPARE(ReadWriteLock::holders({"__READ__1", "__READ__2", "__WRIT__3", "__READ__4"}), 2);
        QCOMPARE(ReadWriteLock::holders({"__READ__1", "__READ__2"}), 2);
    }

    // A mutex of Curator's is acquired beside a reader or a writer, so neither of them may begin beside a mutex.
    void refusesAMutexsNodes()
    {
        FakeParty party(2);
        ReadWriteLock lock(party[0], m_path, Strangers::Refuse);
        Ticket::Taken mutex = party.run(Ticket::take(party[1], m_path, "lock-", {}));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, party.run(lock.reader().acquire()));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, party.run(lock.writer().acquire()));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, party.run(lock.reader().tryAcquire()));
        party.settle();
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{mutex.ticket.name()});
        mutex.ticket.giveUp();
        const Lock reading = party.run(lock.reader().acquire());
        const Lock readingToo = party.run(lock.reader().acquire());
        QCOMPARE(party.childrenOf(m_path).size(), 2);
    }

    void isLaidOutAsCuratorsIs()
    {
        FakeParty party(2);
        auto p = processes(party, 2);
        p[0]->read();
        party.settle();
        p[1]->write();
        party.settle();
        const QByteArrayList names = inOrder(party.childrenOf(m_path));
        QCOMPARE(names.size(), 2);
        const QString uuid = QStringLiteral("^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-");
        QVERIFY(QRegularExpression(uuid + QStringLiteral("__READ__0000000000$"))
                    .match(QString::fromLatin1(names[0]))
                    .hasMatch());
        QVERIFY(QRegularExpression(uuid + QStringLiteral("__WRIT__0000000001$"))
                    .match(QString::fromLatin1(names[1]))
                    .hasMatch());
    }

    void readersShareAndWritersExclude()
    {
        FakeParty party(4);
        auto p = processes(party, 4);
        p[0]->read();
        p[1]->read();
        party.settle();
        QVERIFY(p[0]->reading.has() && p[1]->reading.has());
        p[2]->write();
        party.settle();
        p[3]->read();
        party.settle();
        QVERIFY(!p[2]->writing.has() && !p[3]->reading.has()); // fair: it came after the writer
        p[0]->reading.drop();
        party.settle();
        QVERIFY(!p[2]->writing.has());
        p[1]->reading.drop();
        party.settle();
        QVERIFY(p[2]->writing.has() && !p[3]->reading.has());
        p[2]->writing.drop();
        party.settle();
        QVERIFY(p[3]->reading.has());
    }

    void isReentrantByOwner()
    {
        FakeParty party(2);
        ReadWriteLock lock(party[0], m_path);
        const Owner me;
        std::optional<Lock> write = party.run(lock.writer().acquire({}, me));
        std::optional<Lock> again = party.run(lock.writer().acquire({}, me));
        QCOMPARE(again->fence().path, write->fence().path);
        write.reset();
        party.settle();
        QCOMPARE(party.childrenOf(m_path).size(), 1);
        again.reset();
        party.settle();
        QVERIFY(party.childrenOf(m_path).isEmpty());

        const Lock read = party.run(lock.reader().acquire({}, me));
        const Lock second = party.run(lock.reader().acquire({}, me));
        QCOMPARE(party.childrenOf(m_path).size(), 1);
        const Lock other = party.run(lock.reader().acquire());
        QCOMPARE(party.childrenOf(m_path).size(), 2);
    }

    void anUpgradeIsRefused()
    {
        FakeParty party(1);
        ReadWriteLock lock(party[0], m_path);
        const Owner me;
        std::optional<Lock> read = party.run(lock.reader().acquire({}, me));
        QVERIFY_THROWS_EXCEPTION(UpgradeRefused, party.run(lock.writer().acquire({}, me)));
        QVERIFY_THROWS_EXCEPTION(UpgradeRefused, party.run(lock.writer().tryAcquire({}, me)));
        QVERIFY(!party.run(lock.writer().tryAcquire())); // somebody else just has to wait
        read.reset();
        QVERIFY(party.run(lock.writer().tryAcquire({}, me)));
    }

    void aTryLeavesNoNode()
    {
        FakeParty party(2);
        auto p = processes(party, 2);
        p[0]->write();
        party.settle();
        QVERIFY(!party.run(p[1]->lock.reader().tryAcquire()));
        QVERIFY(!party.run(p[1]->lock.writer().tryAcquire()));
        party.settle();
        QCOMPARE(party.childrenOf(m_path).size(), 1);
        p[0]->writing.drop();
        const std::optional<Lock> read = party.run(p[1]->lock.reader().tryAcquire());
        QVERIFY(read);
        QVERIFY(party.run(p[0]->lock.reader().tryAcquire()));
    }

    // CURATOR-621: the reading node takes the writer's number, ahead of the writer that waits.
    void lesson10_aDowngradeAdmitsNoWriter_data()
    {
        QTest::addColumn<bool>("broken");
        QTest::newRow("ours") << false;
        QTest::newRow("a writer that does not look again") << true;
    }
    void lesson10_aDowngradeAdmitsNoWriter()
    {
        QFETCH(bool, broken);
        FakeParty party(3);
        auto p = processes(party, 2);
        p[0]->write();
        party.settle();
        Keeper<Ticket> careless; // believes that nobody can come to stand ahead of it
        if (broken)
            careless.keep(takeTurn(party[1], m_path, "__WRIT__", ""));
        else
            p[1]->write();
        party.settle();
        p[0]->read();
        party.settle();
        QVERIFY(p[0]->reading.has());
        QCOMPARE(zk::sequenceOf((*p[0]->reading).fence().path.name()),
                 zk::sequenceOf((*p[0]->writing).fence().path.name()));
        p[0]->writing.drop();
        party.settle();
        QCOMPARE(careless.has() || p[1]->writing.has(), broken);
        ReadWriteLock third(party[2], m_path);
        QVERIFY(!party.run(third.writer().tryAcquire()));
        if (broken)
            return;
        p[0]->reading.drop();
        party.settle();
        QVERIFY(p[1]->writing.has());
    }

    void lesson10_aDowngradeWhoseReplyIsLostIsMadeOnce_data()
    {
        QTest::addColumn<int>("operation");
        QTest::addColumn<int>("fault");
        QTest::newRow("transaction, request") << 3 << int(Fault::LoseRequest);
        QTest::newRow("transaction, reply") << 3 << int(Fault::LoseReply);
        QTest::newRow("look, reply") << 4 << int(Fault::LoseReply);
    }
    void lesson10_aDowngradeWhoseReplyIsLostIsMadeOnce()
    {
        QFETCH(int, operation);
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[static_cast<quint64>(operation)] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        party.add({.faults = &faults});
        Process process(party[1], m_path);
        process.write();
        party.settle();
        process.read();
        party.settle(5s);
        QCOMPARE(faults.log().total(), 1u);
        QVERIFY(process.reading.has());
        QCOMPARE(party.childrenOf(m_path).size(), 2);
        process.writing.drop();
        process.reading.drop();
        party.settle(1s);
        QVERIFY(party.childrenOf(m_path).isEmpty());
    }

    // Deposed by hand, it must not come to stand ahead of those who hold by now.
    void aDowngradeOfALockThatIsGoneIsRefused()
    {
        FakeParty party(2);
        auto p = processes(party, 2);
        p[0]->write();
        party.settle();
        const auto remove = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await party[1].remove((*p[0]->writing).fence().path);
            removed.require();
        };
        party.run(remove());
        p[1]->write();
        party.settle();
        QVERIFY(p[1]->writing.has());
        p[0]->read();
        party.settle();
        QVERIFY(p[0]->reading.error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(p[0]->reading.error()));
        QCOMPARE(party.childrenOf(m_path).size(), 1);
    }

    // kazoo #649: a reader that looks again sees writers that came after it, and must not wait for them.
    void lesson10_aReaderDoesNotWaitForLaterWriters()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply;
        plan.longestBreak = 1s;
        FaultInjector faults(plan);
        FakeParty party(2);
        party.run(party[0].ensurePath(m_path));
        party.add({.faults = &faults});
        auto p = processes(party, 3);
        p[0]->read();
        party.settle();
        p[2]->read(); // its node is made, but it does not know
        party.world.runUntil([&] { return party.childrenOf(m_path).size() == 2; });
        p[1]->write();
        party.settle(5s);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        QVERIFY(p[2]->reading.has());
        QVERIFY(!p[1]->writing.has());
        p[0]->reading.drop();
        p[2]->reading.drop();
        party.settle();
        QVERIFY(p[1]->writing.has());
    }

    // The nearest writer ahead goes away without having held: the one before it still counts.
    void aReaderWaitsForTheWriterBeforeTheOneThatGaveUp()
    {
        FakeParty party(4);
        auto p = processes(party, 4);
        for (int i = 0; i < 3; ++i) {
            p[static_cast<std::size_t>(i)]->write();
            party.settle();
        }
        p[3]->read();
        party.settle();
        p[2]->writing.cancel();
        party.settle();
        QVERIFY(!p[3]->reading.has());
        p[0]->writing.drop();
        party.settle();
        QVERIFY(p[1]->writing.has() && !p[3]->reading.has());
        p[1]->writing.drop();
        party.settle();
        QVERIFY(p[3]->reading.has());
    }

    void uncontendedItCostsOneRoundTripACycle()
    {
        FakeParty party(1, {.latency = 5ms});
        party.run(party[0].ensurePath(m_path));
        ReadWriteLock lock(party[0], m_path);
        const async::TimePoint before = party.world.now();
        for (int i = 0; i < 5; ++i) {
            party.run(lock.writer().acquire()).release();
            party.run(lock.reader().acquire()).release();
        }
        QCOMPARE(party.world.now() - before, async::Duration(100ms));
    }

    // One message each way, but from a writer to a writer, which has to look for a downgrade.
    void aHandOverToReadersIsOneMessageEachWay()
    {
        FakeParty party(3, {.latency = 5ms});
        auto p = processes(party, 3);
        p[0]->write();
        party.settle();
        p[1]->read();
        p[2]->read();
        party.settle();
        const async::TimePoint released = party.world.now();
        p[0]->writing.drop();
        party.world.runUntil([&] { return p[1]->reading.has() && p[2]->reading.has(); });
        QCOMPARE(party.world.now() - released, async::Duration(10ms));
    }

    void anExpiredReaderLetsTheWriterIn()
    {
        FakeParty party(2);
        auto p = processes(party, 2);
        p[0]->read();
        party.settle();
        p[1]->write();
        party.settle();
        party.server.expire(party[0].sessionId());
        party.settle();
        QVERIFY(p[1]->writing.has());
        QVERIFY((*p[1]->writing).fence().czxid > (*p[0]->reading).fence().czxid);
        party.settle(10s);
        LockKeeper afterwards; // the lost session's hold is not entered again
        afterwards.keep(p[0]->lock.reader().acquire({}, p[0]->owner));
        party.settle();
        QVERIFY(afterwards.error());
    }

    void participantsAreInOrder()
    {
        FakeParty party(2);
        ReadWriteLock first(party[0], m_path);
        ReadWriteLock second(party[1], m_path);
        const Lock read = party.run(first.reader().acquire("the reader"));
        LockKeeper writer;
        writer.keep(second.writer().acquire("the writer"));
        party.settle();
        const std::vector<Participant> line = party.run(first.participants());
        QCOMPARE(line.size(), 2u);
        QCOMPARE(line[0].data, QByteArray("the reader"));
        QCOMPARE(line[0].fence.czxid, read.fence().czxid);
        QCOMPARE(line[1].data, QByteArray("the writer"));
        QVERIFY(ReadWriteLock::isWriter(line[1].fence.path.name()));
        QVERIFY(!ReadWriteLock::isWriter(line[0].fence.path.name()));
    }
};

QTEST_GUILESS_MAIN(ReadWriteLockTest)
#include "read_write_lock_test.moc"
