#include "jobs/json_fields.h"
#include "workers/files/ledgers.h"
#include "workers/files/office.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace drover::workers;
using namespace std::chrono_literals;

// Appending to a real file with the ledger on the in-memory ZooKeeper.
class SharedFileTest : public QObject
{
    Q_OBJECT

    static async::Task<void> remove(zk::Coordinator &zk, zk::Path path)
    {
        const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
        removed.require();
    }

private Q_SLOTS:
    void appendsInOrder()
    {
        Office office(2);
        const Appended first = office.append(0, "a", "one\n");
        QCOMPARE(first.offset, 0);
        QCOMPARE(first.length, 4);
        QVERIFY(!first.already);
        QCOMPARE(office.append(1, "b", "two two\n").offset, 4);
        QCOMPARE(office.append(0, "c", "").length, 0); // a record without bytes is one, too
        QCOMPARE(office.append(0, "d", "three\n").offset, 12);
        QCOMPARE(office.content(), QByteArray("one\ntwo two\nthree\n"));
        QCOMPARE(office.ledger().records, 4);
        QCOMPARE(office.ledger().committed, 18);
        QVERIFY(office.store().compare(office.ledger()).faults.isEmpty());
        office.settle();
        QCOMPARE(office.childrenOf(office.meta().parent() / "lock").size(), 0);
    }

    void aKeyAppendsOnce()
    {
        Office office(2);
        office.append(0, "a", "one\n");
        office.append(0, "b", "two\n");
        const Appended again = office.append(1, "a", "one\n"); // by another process, which has to read the log for it
        QVERIFY(again.already && again.sameBytes);
        QCOMPARE(again.offset, 0);
        const Appended other = office.append(0, "b", "another\n");
        QVERIFY(other.already && !other.sameBytes);
        QCOMPARE(other.length, 4);
        QCOMPARE(office.content(), QByteArray("one\ntwo\n"));
    }

    void refusesKeysThatAreNone()
    {
        Office office;
        for (const QByteArray &key : {QByteArray(), QByteArray("two\nlines"), QByteArray(201, 'k'), QByteArray("\xff")})
            QVERIFY_THROWS_EXCEPTION(InvalidKey, office.append(0, key, "x"));
        office.append(0, "with spaces in it", "x\n");
        QVERIFY(office.append(0, "with spaces in it", "x\n").already);
        QVERIFY(!office.append(0, "it", "y\n").already); // the end of a key is another key
    }

    // Group commit: the first has the lock, the others come meanwhile and share its second transaction.
    void thoseWhoWaitShareATransaction()
    {
        Office office;
        office.append(0, "first", "0\n");
        async::TaskGroup appends;
        int done = 0;
        const auto append = [&](QByteArray key) -> async::Task<void> {
            const Appended appended = co_await office(0).append(key, key + '\n');
            done += !appended.already;
        };
        const qint32 before = office.server.tree().find(office.meta())->stat.version;
        for (int i = 0; i < 100; ++i)
            appends.spawn(append("k" + QByteArray::number(i)));
        appends.spawn(append("k7")); // twice at once: one of the two is the first
        office.settle(2s);
        QCOMPARE(done, 100);
        QVERIFY(appends.empty());
        QCOMPARE(office.ledger().records, 101);
        QVERIFY(office.server.tree().find(office.meta())->stat.version - before <= 4);
        QVERIFY(office.store().compare(office.ledger()).faults.isEmpty());
    }

    void longRecordsAreSpooledAndTheSpoolGoes()
    {
        Office office;
        office.append(0, "a", "one\n");
        QCOMPARE(office.append(0, "long", longRecord()).length, longRecord().size());
        office.append(0, "b", "two\n");
        QVERIFY(office.append(0, "long", longRecord()).already);
        office.settle();
        QCOMPARE(office.content(), "one\n" + longRecord() + "two\n");
        QCOMPARE(office.sidecar().size(), 1); // the log
        QVERIFY(office.ledger().encode().size() < 2000);
    }

    // A writer that died between spooling and reserving; not one that lives, however long it waits.
    void clearsAwayWhatTheDeadHaveSpooled()
    {
        Office office;
        office.append(0, "a", "one\n");
        const Payload living = office.store().takeIn(longRecord());
        const QByteArray dead = office.store().takeIn(longRecord()).spool; // its maker's lock goes at once
        const QByteArray young = office.store().takeIn(longRecord()).spool;
        const auto name = [&](const QByteArray &spool) {
            return office.store().sidecar() + u'/' + QString::fromLatin1(spool);
        };
        for (const QByteArray &spool : {living.spool, dead}) {
            QFile file(name(spool));
            QVERIFY(file.open(QIODevice::ReadWrite));
            QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-1), QFileDevice::FileModificationTime));
        }
        office.open(0);
        office.append(0, "b", "two\n");
        QVERIFY(!QFile::exists(name(dead)));
        QVERIFY(QFile::exists(name(living.spool)) && QFile::exists(name(young)));
    }

    // The ledger does not grow with the file, and still no key is forgotten.
    void aLongFileHasASmallLedger()
    {
        Office office(2);
        const auto appendMany = [&](int from, int count) -> async::Task<void> {
            for (int i = from; i < from + count; ++i) {
                const Appended appended =
                    co_await office(0).append("key-" + QByteArray::number(i), "record " + QByteArray::number(i) + '\n');
                if (appended.already)
                    throw std::logic_error("it was not there before");
            }
        };
        office.run(appendMany(0, 10));
        const qsizetype size = office.ledger().encode().size();
        office.run(appendMany(10, 500));
        QVERIFY(office.ledger().encode().size() < size + 100);
        office.settle();
        QCOMPARE(office.server.tree().find(office.meta().parent())->children.size(), std::size_t(2)); // lock, meta
        for (const int i : {0, 5, 123, 509})
            QVERIFY(office.append(1, "key-" + QByteArray::number(i), "record " + QByteArray::number(i) + '\n').already);
        QCOMPARE(office.ledger().records, 510);
    }

    void beginsWithWhatIsInTheFile()
    {
        Office office;
        Office::write(office.path, "from before\n", QIODevice::WriteOnly);
        office.append(0, "a", "one\n");
        QCOMPARE(office.content(), QByteArray("from before\none\n"));
        QVERIFY(office.store().compare(office.ledger()).faults.isEmpty());
        Office::write(office.path, "FROM", QIODevice::ReadWrite);
        QCOMPARE(office.store().compare(office.ledger()).faults.size(), 1);
    }

    // Two names of one file are one file.
    void linksLeadToTheSameLedger()
    {
        Office office(2);
        const QString link = office.directory.path() + QStringLiteral("/link");
        office.append(0, "a", "one\n");
        QVERIFY(QFile::link(office.path, link));
        const auto throughLink = office.run(SharedFile::open(office[1], office.layout, link, "test"));
        QVERIFY(office.run(throughLink->append("a", "one\n")).already);
    }

    // A writer that dies after its reservation: the next one finishes its record from the ledger, or from the spool.
    void aDeadWritersRecordIsFinishedByTheNext_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("torn"); // bytes that it had written
        QTest::newRow("short") << QByteArray("dead\n") << 0;
        QTest::newRow("short, torn") << QByteArray("dead\n") << 3;
        QTest::newRow("short, written") << QByteArray("dead\n") << 5;
        QTest::newRow("long") << longRecord() << 0;
        QTest::newRow("long, torn") << longRecord() << 2'000'000;
    }
    void aDeadWritersRecordIsFinishedByTheNext()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, torn);
        Office office(2);
        office.append(1, "a", "one\n");
        int works = 0;
        office.process(0).setPool([&works](const std::function<void()> &work) {
            if (++works <= 2) // takes the bytes in, looks at the file, and dies when it should write
                work();
        });
        async::TaskGroup dying;
        const auto append = [&]() -> async::Task<void> {
            const Appended appended = co_await office(0).append("dead", bytes);
            Q_UNUSED(appended)
        };
        dying.spawn(append());
        office.settle(1s);
        QCOMPARE(office.ledger().pending.size(), std::size_t(1));
        QCOMPARE(office.content(), QByteArray("one\n"));
        office.addForeign(bytes.left(torn)); // its own, as far as it came
        office.session(0).crash();
        dying.cancelAll();

        QCOMPARE(office.append(1, "b", "two\n").offset, 4 + bytes.size());
        QCOMPARE(office.content(), "one\n" + bytes + "two\n");
        QVERIFY(office.append(1, "dead", bytes).already); // and its successor, under the same key, adds nothing
        QVERIFY(office.store().compare(office.ledger()).faults.isEmpty());
    }

    // A write that comes when the file has long gone on: the same bytes at the same place.
    void aZombiesLateWriteChangesNothing()
    {
        Office office(2);
        office.append(1, "a", "one\n");
        std::function<void()> late;
        int works = 0;
        office.process(0).setPool([&](const std::function<void()> &work) {
            if (++works <= 2)
                work();
            else
                late = work;
        });
        async::TaskGroup zombie;
        const auto append = [&]() -> async::Task<void> {
            const Appended appended = co_await office(0).append("zombie", "zombie\n");
            Q_UNUSED(appended)
        };
        zombie.spawn(append());
        office.settle(1s);
        QVERIFY(late);
        office.session(0).crash();
        office.append(1, "b", "two\n");
        office.append(1, "c", "three\n");
        late();
        QCOMPARE(office.content(), QByteArray("one\nzombie\ntwo\nthree\n"));
        QVERIFY(office.store().compare(office.ledger()).faults.isEmpty());
    }

    // Its place in the line was deleted while it wrote, and its server does not know yet that another has gone on.
    void aWriterThatWasOvertakenDoesNotBlameTheFile()
    {
        Office office(2);
        office.append(0, "a", "one\n");
        office.append(1, "b", "two\n");
        std::function<void()> held;
        office.process(1).setPool([&](const std::function<void()> &work) {
            if (!std::exchange(held, work))
                return;
            work();
        });
        async::TaskGroup working;
        std::optional<Appended> appended;
        const auto append = [&]() -> async::Task<void> { appended = co_await office(1).append("c", "three\n"); };
        working.spawn(append());
        office.settle();
        QVERIFY(held);
        const zk::Path line = office.meta().parent() / "lock";
        office.lag(1);
        for (const QByteArray &place : office.childrenOf(line))
            office.run(remove(office[0], line / place));
        office.append(0, "d", "four\n");
        office.process(1).setPool({});
        held();
        office.settle(1min);
        QVERIFY(appended);
        QCOMPARE(office.content(), QByteArray("one\ntwo\nfour\nthree\n"));
    }

    void aLedgerIsReadAsItIs()
    {
        Office office(2);
        office.append(0, "a", "one\n");
        office.lag(1);
        office.append(0, "b", "two\n");
        const auto stored = office.run(readLedger(office[1], office.layout, FileStore::canonicalPath(office.path)));
        QCOMPARE(stored->stat.version, office.server.tree().find(office.meta())->stat.version);
    }

    void theLedgerSurvivesItsCodec()
    {
        Ledger ledger = Ledger::begin(QStringLiteral("/data/ü"), "id", 1234567890123456789u, 7, QByteArray(64, 'b'));
        ledger.reserve("first", Payload::of("bytes\0\n"));
        ledger.commit();
        ledger.reserve("second", Payload::of(""));
        ledger.reserve("third", Payload{{}, "spool-x", {}, 9, QByteArray(64, 'a')});
        const Ledger copy = Ledger::decode(ledger.encode());
        QCOMPARE(copy.encode(), ledger.encode());
        QCOMPARE(copy.inode, ledger.inode);
        QCOMPARE(copy.next(), ledger.next());
        QCOMPARE(copy.pending[1].payload.spool, QByteArray("spool-x"));
        QByteArray altered = ledger.encode();
        altered.replace("\"offset\":12", "\"offset\":13");
        QVERIFY_THROWS_EXCEPTION(jobs::Malformed, Ledger::decode(altered));
    }
};

QTEST_GUILESS_MAIN(SharedFileTest)
#include "shared_file_test.moc"
