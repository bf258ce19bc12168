#include "app/support/drover_on_server.h"

#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

// A worker gets the order to stop while its job runs: TERM, the job's own grace, then KILL. The worker's grace is
// shorter than any that the jobs ask for. The next worker begins the job anew, and the attempt does not count.
class PlannedStopTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    std::unique_ptr<DroverOnServer> m_cluster;
    std::unique_ptr<QProcess> m_worker;
    int m_alive = -1; // the end of the job's pipe

    Finished drover(const char *arguments) const { return m_cluster->drover.run(words(arguments)); }
    QString file(const char *name) const { return m_cluster->drover.directory() + u'/' + QLatin1String(name); }
    // A line for each thing that the job has done.
    QByteArray done() const
    {
        QFile lines(file("done"));
        return lines.open(QIODevice::ReadOnly) ? lines.readAll() : QByteArray();
    }

    void startWorker() { m_worker = m_cluster->drover.start(words("worker --slots 1 --grace 100ms")); }

    // It may lose no worker. It begins, does this when it gets a TERM, and ends once there is a file "end". All its
    // processes have the pipe "alive" open.
    void runJob(const char *grace, const QString &onTerm)
    {
        const QByteArray pipe = QFile::encodeName(file("alive"));
        QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
        m_alive = ::open(pipe.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        QVERIFY(m_alive >= 0);
        startWorker();
        const QStringList options = words("submit --max-attempts 1 --grace") << QString::fromLatin1(grace);
        const QString script = QStringLiteral("trap '%1' TERM; exec 9> alive; echo begin $DROVER_ATTEMPT >> done; "
                                              "until test -e end; do sleep 0.05; done")
                                   .arg(onTerm);
        const Finished submitted = m_cluster->drover.run(options + words("-- sh -c") + QStringList(script));
        QCOMPARE(submitted.out, "default-0\n");
        QTRY_COMPARE_WITH_TIMEOUT(done(), "begin 1\n", Limit);
    }

    bool isAlive() const
    {
        char byte = 0;
        return ::read(m_alive, &byte, 1) != 0; // 0: no process has the other end
    }

    void stopWorker()
    {
        QVERIFY(isAlive());
        m_worker->terminate();
        QCOMPARE(DroverProgram::finish(*m_worker).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(), Limit);
    }

    void endWithTheNextWorker(const QByteArray &doneBefore)
    {
        startWorker();
        QTRY_COMPARE_WITH_TIMEOUT(done(), doneBefore + "begin 1\n", Limit);
        QVERIFY(QFile(file("end")).open(QIODevice::WriteOnly));
        QCOMPARE(drover("wait default-0").exitCode, 0);
        QCOMPARE(json(drover("show default-0 -o json"))[u"attempt"].toInt(), 1);
        QCOMPARE(done(), doneBefore + "begin 1\n");
    }

private Q_SLOTS:
    void init()
    {
        m_cluster = std::make_unique<DroverOnServer>();
        m_cluster->start({"default"});
    }
    void cleanup()
    {
        if (m_worker) {
            m_worker->terminate();
            DroverProgram::finish(*m_worker);
        }
        m_worker.reset();
        m_cluster.reset();
        ::close(m_alive);
    }

    // It asks for more time than the worker gives by itself, and needs it.
    void aJobHasItsOwnGrace()
    {
        runJob("20s", QStringLiteral("sleep 0.5; echo tidied up >> done; exit 1"));
        stopWorker();
        QCOMPARE(done(), "begin 1\ntidied up\n");
        endWithTheNextWorker("begin 1\ntidied up\n");
    }

    // It goes on although it was asked to end, and none of its processes is left.
    void aJobThatStaysIsKilledAfterIt()
    {
        runJob("300ms", QStringLiteral("echo stays >> done"));
        stopWorker();
        QCOMPARE(done(), "begin 1\nstays\n");
        endWithTheNextWorker("begin 1\nstays\n");
    }
};

QTEST_GUILESS_MAIN(PlannedStopTest)
#include "planned_stop_test.moc"
