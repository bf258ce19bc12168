#include "jobs/json_fields.h"
#include "support/fake_party.h"
#include "workers/files/shared_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace drover::workers;
using namespace std::chrono_literals;
using Appended = SharedFile::Appended;
using Why = FileRefused::Why;

// Appending to a real file with the ledger on the in-memory ZooKeeper.
class SharedFileTest : public QObject
{
    Q_OBJECT

    // Some processes, and a file that they share.
    struct Office : FakeParty {
        explicit Office(int size = 1) : FakeParty(size)
        {
            for (int i = 0; i < size; ++i)
                open(i);
        }

        void open(int who)
        {
            files.resize(std::max(files.size(), static_cast<std::size_t>(who + 1)));
            files[static_cast<std::size_t>(who)] = run(SharedFile::open((*this)[who], layout, path, "test"));
        }
        SharedFile &operator()(int who) { return *files[static_cast<std::size_t>(who)]; }
        Appended append(int who, const QByteArray &key, const QByteArray &bytes)
        {
            return run((*this)(who).append(key, bytes));
        }

        QByteArray content() const { return read(path); }
        static QByteArray read(const QString &name)
        {
            QFile file(name);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no file)");
        }
        static void write(const QString &name, const QByteArray &bytes, QIODevice::OpenMode mode)
        {
            QFile file(name);
            if (!file.open(mode) || file.write(bytes) != bytes.size())
                qFatal("cannot write %s", qPrintable(name));
        }
        void addForeign(const QByteArray &bytes) const { write(path, bytes, QIODevice::Append); }

        zk::Path meta() const { return layout.file(FileStore::canonicalPath(path)) / "meta"; }
        Ledger ledger() const { return Ledger::decode(server.tree().find(meta())->data); }
        FileStore store() const { return FileStore(FileStore::canonicalPath(path)); }
        QStringList sidecar() const { return QDir(store().sidecar()).entryList(QDir::Files); }

        // The refusal of one more append, which must leave the file as it is.
        std::optional<Why> refusal()
        {
            const QByteArray before = content();
            try {
                append(0, "one more", "MORE\n");
                return std::nullopt;
            } catch (const FileRefused &refused) {
                const bool helpful = QByteArray(refused.what()).contains("drover files forget " + path.toUtf8());
                return helpful && content() == before ? std::optional(refused.why()) : std::nullopt;
            }
        }

        QTemporaryDir directory;
        QString path = directory.path() + QStringLiteral("/report");
        jobs::Layout layout{"test"};
        std::vector<std::unique_ptr<SharedFile>> files;
    };

    // Writes the ledger's node as nobody of ours would.
    static void setLedger(Office &office, const QByteArray &bytes)
    {
        const auto set = [&]() -> async::Task<void> {
            const zk::Answer<zk::Stat> stat = co_await office[0].set(office.meta(), bytes);
            stat.require();
        };
        office.run(set());
    }

    static const QByteArray &longRecord()
    {
        static const QByteArray bytes = QByteArray(3 * 1024 * 1024, 'x') + '\n';
        return bytes;
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

    void refusesAFileThatIsGone()
    {
        Office office;
        office.append(0, "a", "one\n");
        QVERIFY(QFile::remove(office.path));
        QCOMPARE(office.refusal(), Why::Gone);
    }

    void refusesARotatedFile()
    {
        Office office;
        office.append(0, "a", "one\n");
        QVERIFY(QFile::rename(office.path, office.path + QStringLiteral(".1")));
        Office::write(office.path, "one\n", QIODevice::WriteOnly); // the same bytes in another file
        QCOMPARE(office.refusal(), Why::Replaced);
    }

    void refusesATruncatedFile()
    {
        Office office;
        office.append(0, "a", "one\n");
        office.append(0, "b", "two\n");
        QVERIFY(QFile::resize(office.path, 6));
        QCOMPARE(office.refusal(), Why::Truncated);
    }

    void refusesForeignBytesAtTheEnd()
    {
        Office office;
        office.append(0, "a", "one\n");
        office.addForeign("foreign\n");
        QCOMPARE(office.refusal(), Why::ForeignBytes);
        QVERIFY(QFile::resize(office.path, 4)); // once they are cut off, it goes on
        office.append(0, "b", "two\n");
        QCOMPARE(office.content(), QByteArray("one\ntwo\n"));
    }

    // They came between reservation and write, and fit into what is reserved: they are not overwritten.
    void refusesForeignBytesWhereARecordIsReserved()
    {
        Office office;
        office.append(0, "a", "one\n");
        int works = 0;
        office.process(0).setPool([&](const std::function<void()> &work) {
            if (++works == 3)
                office.addForeign("XX");
            work();
        });
        QVERIFY_THROWS_EXCEPTION(FileRefused, office.append(0, "b", "two\n"));
        QCOMPARE(office.content(), QByteArray("one\nXX"));
        QVERIFY(QFile::resize(office.path, 4));
        QVERIFY(office.append(0, "b", "two\n").sameBytes);
        QCOMPARE(office.content(), QByteArray("one\ntwo\n"));
    }

    void refusesAnAlteredRecord()
    {
        Office office;
        office.append(0, "a", "one\n");
        office.append(0, "b", "two\n");
        QFile file(office.path);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(5) && file.write("W") == 1);
        file.close();
        QCOMPARE(office.refusal(), Why::Altered);
        QCOMPARE(office.store().compare(office.ledger()).faults.size(), 1);
    }

    void refusesWithoutItsLog()
    {
        Office office;
        office.append(0, "a", "one\n");
        const QString log = office.store().logOf(office.ledger());
        const QByteArray lines = Office::read(log);
        QVERIFY(QFile::remove(log));
        QCOMPARE(office.refusal(), Why::LogMissing);
        Office::write(log, lines.left(10), QIODevice::WriteOnly);
        QCOMPARE(office.refusal(), Why::LogAltered);
        Office::write(log, lines, QIODevice::WriteOnly);
        office.append(0, "b", "two\n");
    }

    void refusesWhenASpoolIsLost()
    {
        Office office;
        office.append(0, "a", "one\n");
        int works = 0;
        office.process(0).setPool([&](const std::function<void()> &work) {
            if (++works == 3)
                QFile::remove(office.store().sidecar() + u'/'
                              + QString::fromLatin1(office.ledger().pending.at(0).payload.spool));
            work();
        });
        QVERIFY_THROWS_EXCEPTION(FileRefused, office.append(0, "long", longRecord()));
        QCOMPARE(office.refusal(), Why::SpoolLost);
    }

    void refusesALedgerThatIsNone()
    {
        Office office;
        office.append(0, "a", "one\n");
        Ledger ledger = office.ledger();
        for (const QByteArray &bytes : {QByteArray("nonsense"), QByteArray("{\"v\":1}"), QByteArray("{\"v\":2}")}) {
            setLedger(office, bytes);
            QVERIFY_THROWS_EXCEPTION(jobs::Malformed, office.append(0, "b", "two\n"));
        }
        setLedger(office, ledger.encode());
        office.append(0, "b", "two\n");
        // A ledger from before: ZooKeeper was restored from a backup. The file has more than it says.
        setLedger(office, ledger.encode());
        QCOMPARE(office.refusal(), Why::ForeignBytes);
    }

    void aFolderThatIsNotThereIsAnError()
    {
        Office office;
        const auto open = [&] {
            office.run(SharedFile::open(office[0], office.layout, QStringLiteral("/no/such/folder/x"), "test"));
        };
        QVERIFY_THROWS_EXCEPTION(FileError, open());
        const auto directory = office.run(SharedFile::open(office[0], office.layout, office.directory.path(), "test"));
        QVERIFY_THROWS_EXCEPTION(FileError, office.run(directory->append("a", "one\n")));
    }

    void theLedgerSurvivesItsCodec()
    {
        Ledger ledger = Ledger::begin(QStringLiteral("/data/ü"), "id", 1234567890123456789u, 7, QByteArray(64, 'b'));
        ledger.reserve("first", Payload::of("bytes\0\n"));
        ledger.commit();
        ledger.reserve("second", Payload::of(""));
        ledger.reserve("third", Payload{{}, "spool-x", 9, QByteArray(64, 'a')});
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
