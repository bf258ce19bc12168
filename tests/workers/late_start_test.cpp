#include "workers/runner/clock.h"
#include "workers/runner/job.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

#include <sys/epoll.h>
#include <sys/wait.h>

using namespace drover::runner;
using namespace drover::workers;

// A start that began under a lease and took so long that it has passed: by then the job may be another's.
class LateStartTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    Fd m_epoll{::epoll_create1(EPOLL_CLOEXEC)};
    protocol::LeaseWord m_lease{0};
    Spawner m_spawner{{.rlim_cur = 256, .rlim_max = 256}, m_lease};
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
    protocol::Start start() const
    {
        protocol::Start start;
        start.token = 1;
        start.arguments = {"/bin/sh", "-c", ": > begun"};
        start.directory = m_folder.path().toStdString();
        return start;
    }
    void await(pid_t child) const
    {
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }

private Q_SLOTS:
    void init()
    {
        QFile::remove(path("begun"));
        m_lease = 0;
    }

    void theLastMomentBeforeTheExecDecides()
    {
        const Spawned late = m_spawner.spawn(start(), 2, 2, {});
        QVERIFY(late.leasePassed);
        QCOMPARE(late.pid, 0);
        QCOMPARE(contents("begun"), QByteArray("(no file)"));
        m_lease = std::numeric_limits<std::int64_t>::max();
        const Spawned inTime = m_spawner.spawn(start(), 2, 2, {});
        QVERIFY(!inTime.leasePassed && inTime.pid > 0);
        await(inTime.pid);
        QCOMPARE(contents("begun"), QByteArray());
    }

    void theFilesOfTheNextAttemptAreLeftAlone()
    {
        write("out", "the next attempt's");
        write("err", "its errors");
        protocol::Start start = this->start();
        start.outputCopy = path("out").toStdString();
        start.errorCopy = path("err").toStdString();
        Job late(start, m_epoll.get(), m_children);
        QVERIFY(!late.spawn(m_spawner, m_cgroups));
        QCOMPARE(late.failure().how, protocol::How::LeaseExpired);
        QCOMPARE(late.failure().pid, 0);
        QCOMPARE(contents("out"), QByteArray("the next attempt's"));
        QCOMPARE(contents("err"), QByteArray("its errors"));
        QCOMPARE(contents("begun"), QByteArray("(no file)"));

        m_lease = std::numeric_limits<std::int64_t>::max();
        Job inTime(start, m_epoll.get(), m_children);
        QVERIFY(inTime.spawn(m_spawner, m_cgroups));
        await(inTime.started().pid);
        QCOMPARE(contents("out"), QByteArray());
        QCOMPARE(contents("err"), QByteArray());
        QCOMPARE(contents("begun"), QByteArray());
    }
};

QTEST_GUILESS_MAIN(LateStartTest)
#include "late_start_test.moc"
