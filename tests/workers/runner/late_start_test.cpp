#include "posix/clock.h"
#include "workers/runner/job.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <limits>
#include <thread>

#include <sys/epoll.h>
#include <unistd.h>

using namespace drover::posix;
using namespace drover::runner;
using namespace drover::workers;

// A start that began under a lease and took so long that it has passed: by then the job may be another's.
class LateStartTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    FileDescriptor m_epoll{::epoll_create1(EPOLL_CLOEXEC)};
    protocol::LeaseWord m_lease{0};
    Spawner m_spawner{{.files = {.rlim_cur = 256, .rlim_max = 256}}, m_lease};
    Children m_children;
    Cgroups m_cgroups;

    QString path(const char *name) const { return m_folder.filePath(QLatin1String(name)); }
    QByteArray contents(const char *name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no file)");
    }
    void write(const char *name, const QByteArray &text) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }

    // Makes the file "begun".
    protocol::Command start() const
    {
        protocol::Command start;
        start.runId = 1;
        start.arguments = {"/bin/sh", "-c", ": > begun"};
        start.directory = m_folder.path().toStdString();
        return start;
    }
    protocol::Outcome run(const protocol::Command &start)
    {
        Job job(start, m_epoll.get(), m_children);
        if (job.spawn(m_spawner, m_cgroups)) {
            const auto isOver = [&] {
                for (const Death &death : m_children.reap())
                    job.treeEnded(death);
                for (const HelperDeath &death : m_children.takeHelperDeaths())
                    job.helperDied(death);
                return job.isOver();
            };
            (void)QTest::qWaitFor(isOver, 60'000);
        }
        return job.finish();
    }

private Q_SLOTS:
    void init()
    {
        QFile::remove(path("begun"));
        m_lease = 0;
    }

    void theLastMomentBeforeTheExecDecides()
    {
        const protocol::Outcome late = run(start());
        QCOMPARE(late.how, protocol::How::LeaseExpired);
        QCOMPARE(late.pid, 0);
        QCOMPARE(contents("begun"), QByteArray("(no file)"));
        m_lease = std::numeric_limits<std::int64_t>::max();
        const protocol::Outcome inTime = run(start());
        QCOMPARE(inTime.how, protocol::How::Exited);
        QVERIFY(inTime.pid > 0);
        QCOMPARE(contents("begun"), QByteArray());
    }

    void theFilesOfTheNextAttemptAreLeftAlone()
    {
        write("out", "the next attempt's");
        write("err", "its errors");
        protocol::Command start = this->start();
        start.outputCopy = path("out").toStdString();
        start.errorCopy = path("err").toStdString();
        const protocol::Outcome late = run(start);
        QCOMPARE(late.how, protocol::How::LeaseExpired);
        QCOMPARE(late.pid, 0);
        QCOMPARE(contents("out"), QByteArray("the next attempt's"));
        QCOMPARE(contents("err"), QByteArray("its errors"));
        QCOMPARE(contents("begun"), QByteArray("(no file)"));

        m_lease = std::numeric_limits<std::int64_t>::max();
        QCOMPARE(run(start).how, protocol::How::Exited);
        QCOMPARE(contents("out"), QByteArray());
        QCOMPARE(contents("err"), QByteArray());
        QCOMPARE(contents("begun"), QByteArray());
    }

    // Otherwise a job that the guard kills between its birth and its entry seems to have ended by a signal.
    void theLeaseGuardMeetsNoProcessThatItDoesNotKnow()
    {
        constexpr std::uint64_t runId = 7;
        std::atomic<bool> isOver = false;
        std::thread guard;
        const auto make = [&] {
            const pid_t pid = ::fork();
            if (pid == 0) {
                ::setpgid(0, 0);
                for (;;)
                    ::pause();
            }
            ::setpgid(pid, pid);
            guard = std::thread([&] {
                m_children.killAll();
                isOver = true;
            });
            const bool waits = !QTest::qWaitFor([&] { return isOver.load(); }, 200);
            return waits ? pid : pid_t(-1);
        };
        const pid_t pid = m_children.add(runId, make, {}, nullptr);
        guard.join();
        QVERIFY(pid > 0);
        std::vector<Death> deaths;
        const auto hasDied = [&] { return !(deaths = m_children.reap()).empty(); };
        QVERIFY(QTest::qWaitFor(hasDied, 60'000));
        QCOMPARE(deaths.front().runId, runId);
        QVERIFY(deaths.front().killedByLease);
    }

    void aThreadIsLentAgain()
    {
        const auto threads = [] { return QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs).size(); };
        m_lease = std::numeric_limits<std::int64_t>::max();
        QCOMPARE(run(start()).how, protocol::How::Exited);
        const auto before = threads();
        for (int i = 0; i < 5; ++i)
            QCOMPARE(run(start()).how, protocol::How::Exited);
        QCOMPARE(threads(), before);
    }
};

QTEST_GUILESS_MAIN(LateStartTest)
#include "late_start_test.moc"
