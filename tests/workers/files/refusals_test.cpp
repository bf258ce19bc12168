#include "jobs/json_fields.h"
#include "workers/files/office.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace drover::workers;

// A file that is not what its ledger says: refused, told, and left as it is.
class RefusalsTest : public QObject
{
    Q_OBJECT

    // Writes the ledger's node as nobody of ours would.
    static void setLedger(Office &office, const QByteArray &bytes)
    {
        const auto set = [&]() -> async::Task<void> {
            const zk::Answer<zk::Stat> stat = co_await office[0].set(office.meta(), bytes);
            stat.require();
        };
        office.run(set());
    }

private Q_SLOTS:
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
        QVERIFY_THROWS_EXCEPTION(AppendUnsettled, office.append(0, "b", "two\n")); // it is reserved
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
        QVERIFY_THROWS_EXCEPTION(AppendUnsettled, office.append(0, "long", longRecord()));
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
};

QTEST_GUILESS_MAIN(RefusalsTest)
#include "refusals_test.moc"
