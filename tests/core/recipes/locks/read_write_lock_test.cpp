#include "core/recipes/holder.h"
#include "recipes/locks/read_write_lock.h"
#include "support/fake/fake_cluster.h"

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
        Process(zk::Client &zk, const zk::Path &path) : lock(zk, path) { }

        ReadWriteLock lock;
        Owner owner;
        LockHolder reading;
        LockHolder writing;

        void read() { reading.keep(lock.reader().acquire({}, owner)); }
        void write() { writing.keep(lock.writer().acquire({}, owner)); }
    };

    std::vector<std::unique_ptr<Process>> processes(FakeCluster &fake, int count) const
    {
        std::vector<std::unique_ptr<Process>> all;
        for (int i = 0; i < count; ++i)
            all.push_back(std::make_unique<Process>(fake[i], m_path));
        return all;
    }

private Q_SLOTS:
    void countsTheHolders()
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
        FakeCluster fake(2);
        ReadWriteLock lock(fake[0], m_path, Strangers::Refuse);
        Ticket::Taken mutex = fake.run(Ticket::take(fake[1], m_path, "lock-", {}));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, fake.run(lock.reader().acquire()));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, fake.run(lock.writer().acquire()));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, fake.run(lock.reader().tryAcquire()));
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{mutex.ticket.name()});
        mutex.ticket.giveUp();
        const Lock reading = fake.run(lock.reader().acquire());
        const Lock readingToo = fake.run(lock.reader().acquire());
        QCOMPARE(fake.childrenOf(m_path).size(), 2);
    }

    void isLaidOutAsCuratorsIs()
    {
        FakeCluster fake(2);
        auto p = processes(fake, 2);
        p[0]->read();
        fake.settle();
        p[1]->write();
        fake.settle();
        const QByteArrayList names = sortedBySequence(fake.childrenOf(m_path));
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
        FakeCluster fake(4);
        auto p = processes(fake, 4);
        p[0]->read();
        p[1]->read();
        fake.settle();
        QVERIFY(p[0]->reading.has() && p[1]->reading.has());
        p[2]->write();
        fake.settle();
        p[3]->read();
        fake.settle();
        QVERIFY(!p[2]->writing.has() && !p[3]->reading.has()); // fair: it came after the writer
        p[0]->reading.drop();
        fake.settle();
        QVERIFY(!p[2]->writing.has());
        p[1]->reading.drop();
        fake.settle();
        QVERIFY(p[2]->writing.has() && !p[3]->reading.has());
        p[2]->writing.drop();
        fake.settle();
        QVERIFY(p[3]->reading.has());
    }

    void aTryWaitsForNoWriterAndSharesWithReaders()
    {
        FakeCluster fake(2);
        auto p = processes(fake, 2);
        p[0]->write();
        fake.settle();
        QVERIFY(!fake.run(p[1]->lock.reader().tryAcquire()));
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
        p[0]->writing.drop();
        const std::optional<Lock> read = fake.run(p[1]->lock.reader().tryAcquire());
        QVERIFY(read);
        QVERIFY(fake.run(p[0]->lock.reader().tryAcquire()));
    }

    void anUpgradeIsRefused()
    {
        FakeCluster fake(1);
        ReadWriteLock lock(fake[0], m_path);
        const Owner me;
        std::optional<Lock> read = fake.run(lock.reader().acquire({}, me));
        QVERIFY_THROWS_EXCEPTION(UpgradeRefused, fake.run(lock.writer().acquire({}, me)));
        QVERIFY_THROWS_EXCEPTION(UpgradeRefused, fake.run(lock.writer().tryAcquire({}, me)));
        QVERIFY(!fake.run(lock.writer().tryAcquire())); // another owner just has to wait
        read.reset();
        QVERIFY(fake.run(lock.writer().tryAcquire({}, me)));
    }

    // CURATOR-621: the reading node takes the writer's number, ahead of the writer that waits.
    void aDowngradeAdmitsNoWriter_data()
    {
        QTest::addColumn<bool>("broken");
        QTest::newRow("ours") << false;
        QTest::newRow("a writer that does not look again") << true;
    }
    void aDowngradeAdmitsNoWriter()
    {
        QFETCH(bool, broken);
        FakeCluster fake(3);
        auto p = processes(fake, 2);
        p[0]->write();
        fake.settle();
        Holder<Ticket> careless; // believes that no node can come to stand ahead of it
        if (broken)
            careless.keep(takeTurn(fake[1], m_path, "__WRIT__", ""));
        else
            p[1]->write();
        fake.settle();
        p[0]->read();
        fake.settle();
        QVERIFY(p[0]->reading.has());
        QCOMPARE(zk::sequenceOf((*p[0]->reading).fence().path.name()),
                 zk::sequenceOf((*p[0]->writing).fence().path.name()));
        p[0]->writing.drop();
        fake.settle();
        QCOMPARE(careless.has() || p[1]->writing.has(), broken);
        ReadWriteLock third(fake[2], m_path);
        QVERIFY(!fake.run(third.writer().tryAcquire()));
        if (broken)
            return;
        p[0]->reading.drop();
        fake.settle();
        QVERIFY(p[1]->writing.has());
    }

    void aDowngradeWhoseReplyIsLostIsMadeOnce_data()
    {
        QTest::addColumn<int>("operation");
        QTest::addColumn<int>("fault");
        QTest::newRow("transaction, request") << 3 << int(Fault::LoseRequest);
        QTest::newRow("transaction, reply") << 3 << int(Fault::LoseReply);
        QTest::newRow("look, reply") << 4 << int(Fault::LoseReply);
    }
    void aDowngradeWhoseReplyIsLostIsMadeOnce()
    {
        QFETCH(int, operation);
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[static_cast<quint64>(operation)] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        Process process(fake[1], m_path);
        process.write();
        fake.settle();
        process.read();
        fake.settle(5s);
        QCOMPARE(faults.log().total(), 1u);
        QVERIFY(process.reading.has());
        QCOMPARE(fake.childrenOf(m_path).size(), 2);
        process.writing.drop();
        process.reading.drop();
        fake.settle(1s);
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

    // Deposed by hand, it must not come to stand ahead of those who hold by now.
    void aDowngradeOfALockThatIsGoneIsRefused()
    {
        FakeCluster fake(2);
        auto p = processes(fake, 2);
        p[0]->write();
        fake.settle();
        fake.get(fake[1].remove((*p[0]->writing).fence().path)).require();
        p[1]->write();
        fake.settle();
        QVERIFY(p[1]->writing.has());
        p[0]->read();
        fake.settle();
        QVERIFY(p[0]->reading.error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(p[0]->reading.error()));
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
    }

    // Storage that has seen the reader's token must accept that of a writer which waited meanwhile.
    void aDowngradedReaderHasTheTokenOfItsWriter()
    {
        FakeCluster fake(2);
        ReadWriteLock first(fake[0], m_path);
        ReadWriteLock second(fake[1], m_path);
        const Owner me;
        Lock writing = fake.run(first.writer().acquire({}, me));
        LockHolder next;
        next.keep(second.writer().acquire());
        fake.settle();
        Lock reading = fake.run(first.reader().acquire({}, me));
        const QByteArray token = reading.fence().token();
        QCOMPARE(token, writing.fence().token());
        writing.release();
        reading.release();
        fake.settle();
        QVERIFY(next.has());
        QVERIFY((*next).fence().token().toLongLong() > token.toLongLong());
    }

    // kazoo #649: a reader that looks again sees writers that came after it, and must not wait for them.
    void aReaderDoesNotWaitForLaterWriters()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply;
        plan.longestBreak = 1s;
        FaultInjector faults(plan);
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        auto p = processes(fake, 3);
        p[0]->read();
        fake.settle();
        p[2]->read(); // its node is made, but it does not know
        fake.world.runUntil([&] { return fake.childrenOf(m_path).size() == 2; });
        p[1]->write();
        fake.settle(5s);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        QVERIFY(p[2]->reading.has());
        QVERIFY(!p[1]->writing.has());
        p[0]->reading.drop();
        p[2]->reading.drop();
        fake.settle();
        QVERIFY(p[1]->writing.has());
    }

    // The nearest writer ahead goes away without having held: the one before it still counts.
    void aReaderWaitsForTheWriterBeforeTheOneThatGaveUp()
    {
        FakeCluster fake(4);
        auto p = processes(fake, 4);
        for (int i = 0; i < 3; ++i) {
            p[static_cast<std::size_t>(i)]->write();
            fake.settle();
        }
        p[3]->read();
        fake.settle();
        p[2]->writing.cancel();
        fake.settle();
        QVERIFY(!p[3]->reading.has());
        p[0]->writing.drop();
        fake.settle();
        QVERIFY(p[1]->writing.has() && !p[3]->reading.has());
        p[1]->writing.drop();
        fake.settle();
        QVERIFY(p[3]->reading.has());
    }

    // One message each way, but from a writer to a writer, which has to look for a downgrade.
    void aHandOverToReadersIsOneMessageEachWay()
    {
        FakeCluster fake(3, {.latency = 5ms});
        auto p = processes(fake, 3);
        p[0]->write();
        fake.settle();
        p[1]->read();
        p[2]->read();
        fake.settle();
        const async::TimePoint released = fake.world.now();
        p[0]->writing.drop();
        fake.world.runUntil([&] { return p[1]->reading.has() && p[2]->reading.has(); });
        QCOMPARE(fake.world.now() - released, async::Duration(10ms));
    }

    void anExpiredReaderLetsTheWriterIn()
    {
        FakeCluster fake(2);
        auto p = processes(fake, 2);
        p[0]->read();
        fake.settle();
        p[1]->write();
        fake.settle();
        fake.server.expire(fake[0].sessionId());
        fake.settle();
        QVERIFY(p[1]->writing.has());
        QVERIFY((*p[1]->writing).fence().czxid > (*p[0]->reading).fence().czxid);
    }

    void participantsAreInOrder()
    {
        FakeCluster fake(2);
        ReadWriteLock first(fake[0], m_path);
        ReadWriteLock second(fake[1], m_path);
        const Lock read = fake.run(first.reader().acquire("the reader"));
        LockHolder writer;
        writer.keep(second.writer().acquire("the writer"));
        fake.settle();
        const std::vector<Participant> line = fake.run(first.participants());
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
