#include "core/files/shared_file_fixture.h"
#include "files/file_log.h"
#include "jobs/model/json_fields.h"
#include "zk/access.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace drover::files;
using namespace std::chrono_literals;

// Appending to a real file with the ledger on the in-memory ZooKeeper.
class SharedFileTest : public QObject
{
    Q_OBJECT

    static async::Task<void> remove(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
        removed.require();
    }

    static QString writeSource(SharedFileFixture &files)
    {
        const QString source = files.directory.path() + QStringLiteral("/source");
        SharedFileFixture::write(source, "one\n", QIODevice::WriteOnly);
        return source;
    }
    static zk::Path makeGuard(SharedFileFixture &files, const char *name)
    {
        const zk::Path path = zk::Path("/") / name;
        files.get(files[1].create(path, {})).require();
        return path;
    }
    static void setAcl(SharedFileFixture &files, const zk::Path &path, const QByteArray &acl)
    {
        files.get(files[1].setAcl(path, zk::parseAcl(acl))).require();
    }

    // By the first process.
    struct Attempt {
        Attempt(SharedFileFixture &files, const QByteArray &key, const QString &source, const zk::Path &guard)
        {
            work.spawn(append(files(0), key, source, zk::Transaction::Check{guard, 0}));
        }
        async::Task<void> append(SharedFile &file, QByteArray key, QString source, zk::Transaction::Check guard)
        {
            try {
                const Appended appended = co_await file.appendFile(key, source, guard);
                end = appended.already ? "already there" : "appended";
            } catch (const AppendUnsettled &error) {
                end = QByteArray("unsettled: ") + error.what();
            } catch (const FileRefused &error) {
                end = QByteArray("refused: ") + error.what();
            } catch (const std::exception &error) {
                end = error.what();
            }
        }

        QByteArray end; // empty: it waits
        async::TaskGroup work;
    };

private Q_SLOTS:
    void appendsInOrder()
    {
        SharedFileFixture files(2);
        const Appended first = files.append(0, "a", "one\n");
        QCOMPARE(first.offset, 0);
        QCOMPARE(first.length, 4);
        QVERIFY(!first.already);
        QCOMPARE(files.append(1, "b", "two two\n").offset, 4);
        QCOMPARE(files.append(0, "c", "").length, 0); // a record without bytes is one, too
        QCOMPARE(files.append(0, "d", "three\n").offset, 12);
        QCOMPARE(files.content(), QByteArray("one\ntwo two\nthree\n"));
        QCOMPARE(files.ledger().records, 4);
        QCOMPARE(files.ledger().committed, 18);
        QVERIFY(compare(files.store(), files.ledger()).faults.isEmpty());
        files.settle();
        QCOMPARE(files.childrenOf(files.meta().parent() / "lock").size(), 0);
    }

    void aKeyAppendsOnce()
    {
        SharedFileFixture files(2);
        files.append(0, "a", "one\n");
        files.append(0, "b", "two\n");
        const Appended again = files.append(1, "a", "one\n"); // by another process, which has to read the log for it
        QVERIFY(again.already && again.sameBytes);
        QCOMPARE(again.offset, 0);
        const Appended other = files.append(0, "b", "another\n");
        QVERIFY(other.already && !other.sameBytes);
        QCOMPARE(other.length, 4);
        QCOMPARE(files.content(), QByteArray("one\ntwo\n"));
    }

    void refusesKeysThatAreNone()
    {
        SharedFileFixture files;
        for (const QByteArray &key : {QByteArray(), QByteArray("two\nlines"), QByteArray(201, 'k'), QByteArray("\xff")})
            QVERIFY_THROWS_EXCEPTION(InvalidKey, files.append(0, key, "x"));
        files.append(0, "with spaces in it", "x\n");
        QVERIFY(files.append(0, "with spaces in it", "x\n").already);
        QVERIFY(!files.append(0, "it", "y\n").already); // the end of a key is another key
    }

    // Group commit: the first has the lock, the others come meanwhile and share its second transaction.
    void waitingAppendsShareATransaction()
    {
        SharedFileFixture files;
        files.append(0, "first", "0\n");
        async::TaskGroup appends;
        int done = 0;
        const auto append = [&](QByteArray key) -> async::Task<void> {
            const Appended appended = co_await files(0).append(key, key + '\n');
            done += !appended.already;
        };
        const qint32 before = files.server.tree().find(files.meta())->stat.version;
        for (int i = 0; i < 100; ++i)
            appends.spawn(append("k" + QByteArray::number(i)));
        appends.spawn(append("k7")); // twice at once: one of the two is the first
        files.settle(2s);
        QCOMPARE(done, 100);
        QVERIFY(appends.empty());
        QCOMPARE(files.ledger().records, 101);
        QVERIFY(files.server.tree().find(files.meta())->stat.version - before <= 4);
        QVERIFY(compare(files.store(), files.ledger()).faults.isEmpty());
    }

    void longRecordsAreSpooledAndTheSpoolGoes()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        QCOMPARE(files.append(0, "long", longRecord()).length, longRecord().size());
        files.append(0, "b", "two\n");
        QVERIFY(files.append(0, "long", longRecord()).already);
        files.settle();
        QCOMPARE(files.content(), "one\n" + longRecord() + "two\n");
        QCOMPARE(files.sidecar().size(), 1); // the log
        QVERIFY(files.ledger().encode().size() < 2000);
    }

    // A writer that died between spooling and reserving; not one that lives, however long it waits.
    void removesTheSpoolOfDeadWriters()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        const Payload living = files.store().takeIn(longRecord());
        const QByteArray dead = files.store().takeIn(longRecord()).spool; // its maker's lock goes at once
        const QByteArray young = files.store().takeIn(longRecord()).spool;
        const auto name = [&](const QByteArray &spool) {
            return files.store().sidecar() + u'/' + QString::fromLatin1(spool);
        };
        for (const QByteArray &spool : {living.spool, dead}) {
            QFile file(name(spool));
            QVERIFY(file.open(QIODevice::ReadWrite));
            QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-1), QFileDevice::FileModificationTime));
        }
        files.open(0);
        files.append(0, "b", "two\n");
        QVERIFY(!QFile::exists(name(dead)));
        QVERIFY(QFile::exists(name(living.spool)) && QFile::exists(name(young)));
    }

    // The ledger does not grow with the file, and still no key is forgotten.
    void aLongFileHasASmallLedger()
    {
        SharedFileFixture files(2);
        const auto appendMany = [&](int from, int count) -> async::Task<void> {
            for (int i = from; i < from + count; ++i) {
                const Appended appended =
                    co_await files(0).append("key-" + QByteArray::number(i), "record " + QByteArray::number(i) + '\n');
                if (appended.already)
                    throw std::logic_error("it was not there before");
            }
        };
        files.run(appendMany(0, 10));
        const qsizetype size = files.ledger().encode().size();
        files.run(appendMany(10, 500));
        QVERIFY(files.ledger().encode().size() < size + 100);
        files.settle();
        QCOMPARE(files.server.tree().find(files.meta().parent())->children.size(), std::size_t(2)); // lock, meta
        for (const int i : {0, 5, 123, 509})
            QVERIFY(files.append(1, "key-" + QByteArray::number(i), "record " + QByteArray::number(i) + '\n').already);
        QCOMPARE(files.ledger().records, 510);
    }

    void beginsWithWhatIsInTheFile()
    {
        SharedFileFixture files;
        SharedFileFixture::write(files.path, "from before\n", QIODevice::WriteOnly);
        files.append(0, "a", "one\n");
        QCOMPARE(files.content(), QByteArray("from before\none\n"));
        QVERIFY(compare(files.store(), files.ledger()).faults.isEmpty());
        SharedFileFixture::write(files.path, "FROM", QIODevice::ReadWrite);
        QCOMPARE(compare(files.store(), files.ledger()).faults.size(), 1);
    }

    // Two names of one file are one file.
    void linksLeadToTheSameLedger()
    {
        SharedFileFixture files(2);
        const QString link = files.directory.path() + QStringLiteral("/link");
        files.append(0, "a", "one\n");
        QVERIFY(QFile::link(files.path, link));
        const auto throughLink = files.run(SharedFile::open(files[1], files.layout, link, "test"));
        QVERIFY(files.run(throughLink->append("a", "one\n")).already);
    }

    // A writer that dies after its reservation: the next one finishes its record from the ledger, or from the spool.
    void aDeadWritersRecordIsFinishedByTheNext_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("torn"); // bytes that it had written
        QTest::addColumn<int>("zeros"); // behind them: the power was cut, and the file system knew the length only
        QTest::newRow("short") << QByteArray("dead\n") << 0 << 0;
        QTest::newRow("short, torn") << QByteArray("dead\n") << 3 << 0;
        QTest::newRow("short, torn by a power cut") << QByteArray("dead\n") << 3 << 2;
        QTest::newRow("short, lost in a power cut") << QByteArray("dead\n") << 0 << 5;
        QTest::newRow("short, written") << QByteArray("dead\n") << 5 << 0;
        QTest::newRow("long") << longRecord() << 0 << 0;
        QTest::newRow("long, torn") << longRecord() << 2'000'000 << 0;
        QTest::newRow("long, torn by a power cut") << longRecord() << 2'000'000 << 4096;
    }
    void aDeadWritersRecordIsFinishedByTheNext()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, torn);
        QFETCH(int, zeros);
        SharedFileFixture files(2);
        files.append(1, "a", "one\n");
        int works = 0;
        files.process(0).setPool([&works](const std::function<void()> &work) {
            if (++works <= 2) // takes the bytes in, looks at the file, and dies when it should write
                work();
        });
        async::TaskGroup dying;
        const auto append = [&]() -> async::Task<void> {
            const Appended appended = co_await files(0).append("dead", bytes);
            Q_UNUSED(appended)
        };
        dying.spawn(append());
        files.settle(1s);
        QCOMPARE(files.ledger().pending.size(), std::size_t(1));
        QCOMPARE(files.content(), QByteArray("one\n"));
        files.addForeign(bytes.left(torn) + QByteArray(zeros, '\0')); // its own, as far as it came
        files.session(0).crash();
        dying.cancelAll();

        QCOMPARE(files.append(1, "b", "two\n").offset, 4 + bytes.size());
        QCOMPARE(files.content(), "one\n" + bytes + "two\n");
        QVERIFY(files.append(1, "dead", bytes).already); // and its successor, under the same key, adds nothing
        QVERIFY(compare(files.store(), files.ledger()).faults.isEmpty());
    }

    // A write that comes when the file has long gone on: the same bytes at the same place.
    void aZombiesLateWriteChangesNothing()
    {
        SharedFileFixture files(2);
        files.append(1, "a", "one\n");
        std::function<void()> late;
        int works = 0;
        files.process(0).setPool([&](const std::function<void()> &work) {
            if (++works <= 2)
                work();
            else
                late = work;
        });
        async::TaskGroup zombie;
        const auto append = [&]() -> async::Task<void> {
            const Appended appended = co_await files(0).append("zombie", "zombie\n");
            Q_UNUSED(appended)
        };
        zombie.spawn(append());
        files.settle(1s);
        QVERIFY(late);
        files.session(0).crash();
        files.append(1, "b", "two\n");
        files.append(1, "c", "three\n");
        late();
        QCOMPARE(files.content(), QByteArray("one\nzombie\ntwo\nthree\n"));
        QVERIFY(compare(files.store(), files.ledger()).faults.isEmpty());
    }

    // Its place in the line was deleted while it wrote, and its server does not know yet that another has gone on.
    void aWriterThatWasOvertakenDoesNotBlameTheFile()
    {
        SharedFileFixture files(2);
        files.append(0, "a", "one\n");
        files.append(1, "b", "two\n");
        std::function<void()> held; // its look at the file, behind that at the ledger
        int works = 0;
        files.process(1).setPool([&](const std::function<void()> &work) {
            if (++works == 2)
                held = work;
            else
                work();
        });
        async::TaskGroup working;
        std::optional<Appended> appended;
        const auto append = [&]() -> async::Task<void> { appended = co_await files(1).append("c", "three\n"); };
        working.spawn(append());
        files.settle();
        QVERIFY(held);
        const zk::Path line = files.meta().parent() / "lock";
        files.lag(1);
        for (const QByteArray &place : files.childrenOf(line))
            files.run(remove(files[0], line / place));
        files.append(0, "d", "four\n");
        files.process(1).setPool({});
        held();
        files.settle(1min);
        QVERIFY(appended);
        QCOMPARE(files.content(), QByteArray("one\ntwo\nfour\nthree\n"));
    }

    // A server refuses the whole transaction, and does not say for which node.
    void aGuardThatIsHiddenFailsItsOwnAppendOnly()
    {
        SharedFileFixture files(2);
        files.append(0, "first", "0\n");
        const QString source = writeSource(files);
        const zk::Path mine = makeGuard(files, "mine");
        const zk::Path hidden = makeGuard(files, "hidden");
        setAcl(files, hidden, "world:anyone:cdwa");
        Attempt a(files, "a", source, mine);
        Attempt b(files, "b", source, hidden);
        Attempt c(files, "c", source, mine);
        files.settle(10s);
        QCOMPARE(a.end, "appended");
        QVERIFY2(b.end.contains("permission denied") && b.end.contains("hidden"), b.end.constData());
        QCOMPARE(c.end, "appended");
        QCOMPARE(files.content(), QByteArray("0\none\none\n"));
        QCOMPARE(files(0).deposed(), 0);
    }

    // The next writer writes it, whatever ZooKeeper refuses to this one.
    void aReservedRecordIsUnsettledWithoutAccess()
    {
        SharedFileFixture files(2);
        files.append(0, "first", "0\n");
        std::function<void()> held; // its write
        int works = 0;
        files.process(0).setPool([&](const std::function<void()> &work) {
            if (++works == 3)
                held = work;
            else
                work();
        });
        Attempt a(files, "a", writeSource(files), makeGuard(files, "mine"));
        files.settle();
        QVERIFY(held);
        setAcl(files, files.meta(), "world:anyone:ra");
        held();
        files.settle(10s);
        QVERIFY2(a.end.startsWith("unsettled") && a.end.contains("permission denied"), a.end.constData());
        setAcl(files, files.meta(), "open");
        files.append(1, "b", "two\n");
        QCOMPARE(files.content(), QByteArray("0\none\ntwo\n"));
    }

    // So its own failure ends it. It would be tried again for ever if its record could have been reserved.
    void whatARevokedGuardHoldsUpIsNotReserved()
    {
        SharedFileFixture files(2);
        files.append(0, "first", "0\n");
        const QString source = writeSource(files);
        const zk::Path mine = makeGuard(files, "mine");
        int works = 0;
        files.process(0).setPool([&](const std::function<void()> &work) {
            if (++works == 4) // takes in two, looks at the file, and once again after the refusal
                QFile::remove(files.path);
            work();
        });
        Attempt revoked(files, "a", source, files.meta().parent() / "gone");
        Attempt other(files, "b", source, mine);
        files.settle(10s);
        QVERIFY(works >= 4);
        QVERIFY2(revoked.end.contains("may no longer be appended"), revoked.end.constData());
        QVERIFY2(other.end.startsWith("refused"), other.end.constData());
        QCOMPARE(files(0).deposed(), 0);
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
