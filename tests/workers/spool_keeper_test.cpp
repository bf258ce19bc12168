#include "workers/master/arrays/gang_cluster.h"
#include "workers/spool_keeper.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QLoggingCategory>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <sys/mount.h>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace drover::workers;
using namespace std::chrono_literals;

namespace {

constexpr qint64 Gigabyte = qint64(1) << 30;

// A spool whose file system is full or not, as the test wants: /proc has no block, free or not.
class Spool
{
public:
    explicit Spool(bool isFull) { setFull(isFull); }

    QString path() const { return m_folder.filePath(QStringLiteral("spool")); }
    void setFull(bool isFull) const
    {
        QFile::remove(path());
        if (!QFile::link(isFull ? QStringLiteral("/proc") : m_folder.path(), path()))
            throw std::runtime_error("the spool cannot be linked");
    }
    QString put(const char *name, std::chrono::hours age) const
    {
        QFile file(m_folder.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write("output") != 6 || !file.flush()
            || !file.setFileTime(QDateTime::currentDateTime().addSecs(-3600 * age.count()),
                                 QFile::FileModificationTime))
            throw std::runtime_error("a file of the spool cannot be written");
        return file.fileName();
    }

private:
    QTemporaryDir m_folder;
};

WorkerOptions keeping(const Spool &spool, std::optional<qint64> reserve)
{
    WorkerOptions options = Working::options(2);
    options.spool = spool.path();
    options.spoolLimits.reserve = reserve;
    return options;
}

// As the only worker says it.
QString troubleIn(WorkerCluster &fake)
{
    const QByteArray member = fake.childrenOf(fake.layout.members()).front();
    return WorkerInfo::decode(fake.node(fake.layout.members() / member).data).trouble;
}

} // namespace

// A worker claims no job while there is no room for its output.
class SpoolKeeperTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.spool_keeper.warning=false"));
    }

    void theReserveOfAFileSystem()
    {
        QCOMPARE(SpoolReserve({}).on(10 * Gigabyte), Gigabyte / 2);
        QCOMPARE(SpoolReserve({}).on(1000 * Gigabyte), Gigabyte);
        QCOMPARE(SpoolReserve({}).on(0), 0);
        QCOMPARE(SpoolReserve(4096).on(1000 * Gigabyte), 4096);
        QCOMPARE(SpoolReserve(0).on(Gigabyte), 0);
    }

    // Each file that comes or goes would change it otherwise.
    void aQuarterMoreThanTheReserveEndsTheShortage()
    {
        SpoolReserve reserve(1000);
        const auto isShortWith = [&](qint64 free) {
            reserve.note({.free = free, .size = Gigabyte});
            return reserve.isShort();
        };
        QVERIFY(!isShortWith(1000));
        QVERIFY(isShortWith(999));
        QVERIFY(isShortWith(1249));
        QVERIFY(!isShortWith(1250));
        QVERIFY(!isShortWith(1000));
    }

    void theSpaceOfAFolder()
    {
        const QTemporaryDir folder;
        const std::optional<posix::DiskSpace> space = posix::diskSpaceAt(folder.path().toStdString());
        QVERIFY(space && space->size > 0 && space->free <= space->size);
        QVERIFY(!posix::diskSpaceAt(folder.filePath(QStringLiteral("none")).toStdString()));
    }

    void aWorkerWithoutRoomLeavesTheJobs()
    {
        WorkerCluster fake(2);
        const Spool spool(true);
        const JobId id = fake.submit();
        const Working working(fake, 1, keeping(spool, 1));
        fake.settle(2min);
        QCOMPARE(working.begun(), 0u);
        QVERIFY(!fake.isClaimedBy(id, 1));
        QVERIFY2(troubleIn(fake).contains(u"--spool-reserve is 1 B"), qPrintable(troubleIn(fake)));
        spool.setFull(false);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(troubleIn(fake), QString());
    }

    void runningJobsGoOn()
    {
        WorkerCluster fake(2);
        const Spool spool(false);
        const JobId first = fake.submit();
        const Working working(fake, 1, keeping(spool, 1));
        fake.settle(10ms);
        QCOMPARE(working.begun(), 1u);
        spool.setFull(true);
        fake.settle(6s);
        const JobId second = fake.submit();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(first).state(), JobState::Succeeded);
        QCOMPARE(working.begun(), 1u);
        QVERIFY(!troubleIn(fake).isEmpty());
        spool.setFull(false);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(second).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(second).attempts.number(), 1);
    }

    // The worker stays in its session, says so, and goes on once there is an answer.
    void aFileSystemThatHangsHasNoRoom()
    {
        WorkerCluster fake(2);
        const Spool spool(false);
        std::vector<std::function<void()>> hanging;
        fake.process(1).setPool([&](const std::function<void()> &work) { hanging.push_back(work); });
        const JobId id = fake.submit();
        const Working working(fake, 1, keeping(spool, {}));
        fake.settle(29s);
        QCOMPARE(working.begun(), 0u);
        QCOMPARE(troubleIn(fake), QString());
        fake.settle(2min);
        QVERIFY2(troubleIn(fake).contains(u"has not answered for 30 s"), qPrintable(troubleIn(fake)));
        QVERIFY(!working.ended());
        fake.process(1).setPool({});
        for (const std::function<void()> &work : hanging)
            work();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(troubleIn(fake), QString());
    }

    // The kernel does that to a file system that it cannot write.
    void aSpoolThatIsMountedReadOnlyHasNoRoom()
    {
        const QTemporaryDir mount;
        const QByteArray path = QFile::encodeName(mount.path());
        if (::mount("spool", path.constData(), "tmpfs", MS_NOSUID | MS_NODEV, "size=16384") != 0)
            QSKIP("only root can mount a file system");
        const auto unmounting = qScopeGuard([&] { ::umount2(path.constData(), MNT_DETACH); });
        const auto remount = [&](unsigned long flags) {
            return ::mount("spool", path.constData(), nullptr, MS_REMOUNT | MS_NOSUID | MS_NODEV | flags, nullptr);
        };
        WorkerCluster fake(2);
        WorkerOptions options = Working::options(2);
        options.spool = mount.path();
        options.spoolLimits.reserve = 1;
        QCOMPARE(remount(MS_RDONLY), 0);
        const JobId id = fake.submit();
        const Working working(fake, 1, options);
        fake.settle(2min);
        QCOMPARE(working.begun(), 0u);
        QVERIFY2(troubleIn(fake).contains(u"is mounted read-only"), qPrintable(troubleIn(fake)));
        QCOMPARE(remount(0), 0);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(troubleIn(fake), QString());
    }

    // Its members would keep the slots of others in vain.
    void aGangDoesNotCountOnAWorkerWithoutRoom()
    {
        WorkerCluster fake(3);
        const Spool spool(true);
        const Working full(fake, 1, keeping(spool, 1));
        const Working other(fake, 2, 2);
        fake.settle(2s);
        const JobId id = fake.submit(gangOf(3));
        for (int i = 0; i < 20; ++i) {
            fake.settle(2s);
            QCOMPARE(fake.childrenOf(fake.layout.gangs()), QByteArrayList());
            QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
        }
        spool.setFull(false);
        fake.settle(1min);
        QCOMPARE(runsOf(id, {&full, &other}).size(), 3u);
    }

    void withoutAReserveItNeverLooks()
    {
        WorkerCluster fake(2);
        const Spool spool(true);
        int works = 0;
        fake.process(1).setPool([&](const std::function<void()> &work) {
            ++works;
            work();
        });
        const JobId id = fake.submit();
        const Working working(fake, 1, keeping(spool, 0));
        fake.settle(2min);
        QCOMPARE(works, 1); // the sweep
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // The output is old, but a machine whose clock is wrong cannot tell.
    void aMachineWithAWrongClockRemovesNoOldOutput()
    {
        WorkerCluster fake(2);
        const Spool spool(false);
        fake.process(1).setClockAhead(24h * 8);
        const Working working(fake, 1, keeping(spool, 1));
        const QString old = spool.put("default-1.1.out", 24h * 30);
        fake.settle(11min);
        QVERIFY(QFile::exists(old));
        fake.process(1).setClockAhead(0h);
        fake.settle(11min);
        QVERIFY(!QFile::exists(old));
    }

    // Old output may be what fills it.
    void aShortSpoolIsSweptEachMinute()
    {
        for (const bool isShort : {false, true}) {
            WorkerCluster fake(2);
            const Spool spool(false);
            const Working working(fake, 1, keeping(spool, isShort ? std::numeric_limits<qint64>::max() / 4 : 1));
            fake.settle(10s);
            const QString old = spool.put("default-1.1.out", 24h * 30);
            fake.settle(61s);
            QCOMPARE(QFile::exists(old), !isShort);
            fake.settle(10min);
            QVERIFY(!QFile::exists(old));
        }
    }
};

QTEST_GUILESS_MAIN(SpoolKeeperTest)
#include "spool_keeper_test.moc"
