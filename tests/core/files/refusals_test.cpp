#include "core/files/shared_file_fixture.h"
#include "files/file_log.h"
#include "jobs/model/json_fields.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace drover::files;

// A file that does not match its ledger is refused, reported and left unchanged.
class RefusalsTest : public QObject
{
    Q_OBJECT

    // Writes into the ledger's node what no program of Drover would write.
    static void setLedger(SharedFileFixture &files, const QByteArray &bytes)
    {
        const auto set = [&]() -> async::Task<void> {
            const zk::Answer<zk::Stat> stat = co_await files[0].set(files.meta(), bytes);
            stat.require();
        };
        files.run(set());
    }

private Q_SLOTS:
    // As another user could do who may write there. The path was resolved, and perhaps allowed by a policy, before.
    void followsNoLinkThatHasComeSince_data()
    {
        QTest::addColumn<QString>("swapped");
        QTest::addColumn<QString>("target");
        QTest::newRow("a folder above the file") << QStringLiteral("there") << QStringLiteral("elsewhere");
        QTest::newRow("the file") << QStringLiteral("there/file") << QStringLiteral("elsewhere/file");
        QTest::newRow("the folder beside it") << QStringLiteral("there/.file.drover") << QStringLiteral("elsewhere");
    }
    void followsNoLinkThatHasComeSince()
    {
        QFETCH(QString, swapped);
        QFETCH(QString, target);
        const QTemporaryDir temporary;
        QDir place(temporary.path());
        QVERIFY(place.mkdir(QStringLiteral("elsewhere")) && place.mkdir(QStringLiteral("there")));
        const FileStore store(FileStore::canonicalPath(place.filePath(QStringLiteral("there/file"))));
        place.rmdir(swapped);
        QVERIFY(QFile::link(place.filePath(target), place.filePath(swapped)));
        QVERIFY_THROWS_EXCEPTION(FileError, store.begin());
        QVERIFY(QDir(place.filePath(QStringLiteral("elsewhere"))).isEmpty());
    }

    void refusesAFileThatIsGone()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        QVERIFY(QFile::remove(files.path));
        QCOMPARE(files.refusal(), Why::Gone);
    }

    void refusesARotatedFile()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        QVERIFY(QFile::rename(files.path, files.path + QStringLiteral(".1")));
        SharedFileFixture::write(files.path, "one\n", QIODevice::WriteOnly); // another file with equal bytes
        QCOMPARE(files.refusal(), Why::Replaced);
    }

    void refusesATruncatedFile()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        files.append(0, "b", "two\n");
        QVERIFY(QFile::resize(files.path, 6));
        QCOMPARE(files.refusal(), Why::Truncated);
    }

    void refusesForeignBytesAtTheEnd()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        files.addForeign("foreign\n");
        QCOMPARE(files.refusal(), Why::ForeignBytes);
        QVERIFY(QFile::resize(files.path, 4)); // once they are cut off, it goes on
        files.append(0, "b", "two\n");
        QCOMPARE(files.content(), QByteArray("one\ntwo\n"));
    }

    // They came between reservation and write, and fit into what is reserved: they are not overwritten.
    void refusesForeignBytesWhereARecordIsReserved()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        int works = 0;
        files.process(0).setPool([&](const std::function<void()> &work) {
            if (++works == 3)
                files.addForeign("XX");
            work();
        });
        QVERIFY_THROWS_EXCEPTION(AppendUnsettled, files.append(0, "b", "two\n")); // it is reserved
        QCOMPARE(files.content(), QByteArray("one\nXX"));
        QVERIFY(QFile::resize(files.path, 4));
        QVERIFY(files.append(0, "b", "two\n").sameBytes);
        QCOMPARE(files.content(), QByteArray("one\ntwo\n"));
    }

    void refusesAnAlteredRecord()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        files.append(0, "b", "two\n");
        QFile file(files.path);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(5) && file.write("W") == 1);
        file.close();
        QCOMPARE(files.refusal(), Why::Altered);
        QCOMPARE(compare(files.store(), files.ledger()).faults.size(), 1);
    }

    void refusesWithoutItsLog()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        const QString log = files.store().logOf(files.ledger());
        const QByteArray lines = SharedFileFixture::read(log);
        QVERIFY(QFile::remove(log));
        QCOMPARE(files.refusal(), Why::LogMissing);
        SharedFileFixture::write(log, lines.left(10), QIODevice::WriteOnly);
        QCOMPARE(files.refusal(), Why::LogAltered);
        SharedFileFixture::write(log, lines, QIODevice::WriteOnly);
        files.append(0, "b", "two\n");
    }

    void refusesWhenASpoolIsLost()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        int works = 0;
        files.process(0).setPool([&](const std::function<void()> &work) {
            if (++works == 3)
                QFile::remove(files.store().sidecar() + u'/'
                              + QString::fromLatin1(files.ledger().pending.at(0).payload.spool));
            work();
        });
        QVERIFY_THROWS_EXCEPTION(AppendUnsettled, files.append(0, "long", longRecord()));
        QCOMPARE(files.refusal(), Why::SpoolLost);
    }

    void refusesALedgerThatIsNone()
    {
        SharedFileFixture files;
        files.append(0, "a", "one\n");
        Ledger ledger = files.ledger();
        for (const QByteArray &bytes : {QByteArray("nonsense"), QByteArray("{\"v\":1}"), QByteArray("{\"v\":2}")}) {
            setLedger(files, bytes);
            QVERIFY_THROWS_EXCEPTION(jobs::Malformed, files.append(0, "b", "two\n"));
        }
        setLedger(files, ledger.encode());
        files.append(0, "b", "two\n");
        // A ledger from before: ZooKeeper was restored from a backup. The file has more than it says.
        setLedger(files, ledger.encode());
        QCOMPARE(files.refusal(), Why::ForeignBytes);
    }

    void aFolderThatIsNotThereIsAnError()
    {
        SharedFileFixture files;
        const auto open = [&] {
            files.run(SharedFile::open(files[0], files.layout, QStringLiteral("/no/such/folder/x"), "test"));
        };
        QVERIFY_THROWS_EXCEPTION(FileError, open());
        const auto directory = files.run(SharedFile::open(files[0], files.layout, files.directory.path(), "test"));
        QVERIFY_THROWS_EXCEPTION(FileError, files.run(directory->append("a", "one\n")));
    }
};

QTEST_GUILESS_MAIN(RefusalsTest)
#include "refusals_test.moc"
