#include "workers/process/result_file.h"
#include "workers/spool_sweeper.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace drover::workers;
using namespace std::chrono_literals;

namespace {

constexpr qsizetype FileSize = 64 * 1024;

class Spool
{
public:
    QString path() const { return m_folder.path(); }
    QString path(const char *name) const { return m_folder.filePath(QLatin1String(name)); }

    // Last written so long ago.
    void write(const char *name, std::chrono::seconds age, const QByteArray &bytes = QByteArray(FileSize, 'x')) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.flush());
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(-age.count()), QFile::FileModificationTime));
    }
    QStringList names() const { return QDir(path()).entryList(QDir::Files, QDir::Name); }

private:
    QTemporaryDir m_folder;
};

QStringList list(const char *names)
{
    return QString::fromLatin1(names).split(u' ');
}

} // namespace

// What stays of the output of jobs, and how long.
class SpoolSweeperTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void outputOverTheAgeLimitIsRemoved()
    {
        const Spool spool;
        for (const char *const name :
             {"default-1.1.out", "default-1.1.out.1", "default-1.1.out.2", "default-1.1.err", "gpu-2.7.3.out"})
            spool.write(name, 25h);
        spool.write("default-2.1.out", 23h);
        spool.write("default-2.1.out.1", 25h); // its beginning was written later
        const Swept swept = sweepSpool(spool.path(), {24h, 1 << 30});
        QCOMPARE(swept.files, 5);
        QVERIFY(swept.bytes >= 5 * FileSize);
        QCOMPARE(spool.names(), list("default-2.1.out default-2.1.out.1"));
    }

    void filesOfOthersStay()
    {
        const Spool spool;
        const QStringList others =
            list("Default-1.1.out a.out default-1.0.log default-1.01.out default-1.1.out.3 default-1.out notes");
        for (const QString &name : others)
            spool.write(qPrintable(name), 1000h);
        QCOMPARE(sweepSpool(spool.path(), {1h, 0}).files, 0);
        QCOMPARE(spool.names(), others);
        QCOMPARE(sweepSpool(QStringLiteral("/there/is/none"), {1h, 0}).files, 0);
    }

    void theOldestOfTooMuchGo()
    {
        const Spool spool;
        spool.write("default-1.1.out", 2h);
        spool.write("default-2.1.out", 4h);
        spool.write("default-2.1.out.1", 5h);
        spool.write("default-3.1.out", 1h);
        QCOMPARE(sweepSpool(spool.path(), {24h, 10 * FileSize}).files, 0);
        QCOMPARE(sweepSpool(spool.path(), {24h, 5 * FileSize / 2}).files, 2); // one would do: both are of an attempt
        QCOMPARE(spool.names(), list("default-1.1.out default-3.1.out"));
        QCOMPARE(sweepSpool(spool.path(), {24h, 3 * FileSize / 2}).files, 1);
        QCOMPARE(spool.names(), list("default-3.1.out"));
    }

    // A worker whose file system is smaller than its limit would never claim a job again.
    void theOldestOutputMakesRoom()
    {
        const Spool spool;
        spool.write("default-1.1.out", 2h);
        spool.write("default-2.1.out", 4h);
        spool.write("default-3.1.out", 1h);
        QCOMPARE(sweepSpool(spool.path(), {24h, 10 * FileSize}, 4 * FileSize).files, 0); // all of it would not suffice
        QCOMPARE(sweepSpool(spool.path(), {24h, 10 * FileSize}, 3 * FileSize / 2).files, 2);
        QCOMPARE(spool.names(), list("default-3.1.out"));
    }

    void outputOfAJustEndedJobStays()
    {
        const Spool spool;
        spool.write("default-1.1.out", 10s);
        QCOMPARE(sweepSpool(spool.path(), {0ms, 0}).files, 0);
        spool.write("default-1.1.out", 2min);
        QCOMPARE(sweepSpool(spool.path(), {0ms, 0}).files, 1);
    }

    void outputThatIsBeingWrittenStays()
    {
        const Spool spool;
        spool.write("default-1.1.out", 1000h);
        spool.write("default-1.1.out.1", 1000h);
        const int file = ::open(QFile::encodeName(spool.path("default-1.1.out")).constData(), O_RDWR | O_CLOEXEC);
        QCOMPARE(::flock(file, LOCK_SH), 0); // as its runner has it
        QCOMPARE(sweepSpool(spool.path(), {1h, 0}).files, 0);
        ::close(file);
        QCOMPARE(sweepSpool(spool.path(), {1h, 0}).files, 2);
    }

    // The cluster may not know of it.
    void outputOfAKeptResultStays()
    {
        const Spool spool;
        spool.write("default-1.1.out", 1000h);
        spool.write("default-1.2.out", 1000h);
        spool.write("default-1.2.out.1", 1000h);
        QVERIFY(QDir(spool.path()).mkdir(QStringLiteral("runs")));
        const std::string slot = protocol::encodeResult("default-1 q5-0000000001 2 77 77", protocol::Outcome{});
        spool.write("runs/some-worker", 0s, QByteArray::fromStdString(slot));
        QCOMPARE(sweepSpool(spool.path(), {1h, 0}).files, 1);
        QCOMPARE(spool.names(), list("default-1.2.out default-1.2.out.1"));
    }

    // A sweep was killed after it had removed their beginning.
    void segmentsAloneGo()
    {
        const Spool spool;
        spool.write("default-1.1.err.1", 2h);
        spool.write("default-1.1.err.2", 2h);
        QCOMPARE(sweepSpool(spool.path(), {1h, 1 << 30}).files, 2);
    }
};

QTEST_GUILESS_MAIN(SpoolSweeperTest)
#include "spool_sweeper_test.moc"
