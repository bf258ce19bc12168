#include "app/support/drover_on_server.h"
#include "jobs/cluster/cluster_config.h"

#include <QDataStream>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <unistd.h>

using namespace drover;
using namespace drover::test;

// What goes wrong gets one clear line and its exit code, and loses nothing.
class BadInputTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const jobs::Layout &m_layout = m_cluster.layout;
    DroverProgram &m_drover = m_cluster.drover;
    DroverProgram m_alone; // knows no server

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("full")}); }

    void usage_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *words, const char *message) {
            QTest::newRow(words) << QString::fromUtf8(words).split(u' ') << QByteArray(message);
        };
        row("frobnicate", "there is no command \"frobnicate\"");
        row("sumbit -- true", "did you mean submit?");
        row("status", "did you mean ls, show?"); // as other schedulers call it
        row("sbatch job", "did you mean submit?");
        row("bench", "needs one more word: lock, jobs, latency");
        row("master list", "there is drover master show");
        row("ls --frob", "frob");
        row("ls --state dead", "waiting, ready, running");
        row("show", "too few arguments");
        row("show nonsense", "is not a job id");
        row("wait default-1 --timeout soon", "--timeout");
        row("submit --priority 10 -- true", "--priority");
        row("submit --output-limit much -- true", "--output-limit");
        row("submit --stdout %x -- true", "\"%x\" is not a pattern");
        row("submit --stdout %a -- true", "%a is the index in an array");
        row("submit --array 1-3 --stderr out -- true", "all tasks of the array would write to it");
        row("submit --array 2147483647 -- true", "each below 2147483647");
        row("submit --array 1-1 --array 2-3 -- true", "--array is given 2 times, and takes one value");
        row("submit --backoff 1s -- true", "--backoff means nothing without retries; give"); // the default as well
        row("submit --ulimit files=3 -- true", "nofile");
        row("submit --ulimit cpu=much -- true", "\"cpu=much\" is not a limit");
        row("submit --env =x -- true", "--env");
        row("submit --queue A_B -- true", "--queue");
        row("submit --input /nowhere -- true", "/nowhere");
        row("lock ../x -- true", "no lock can be called");
        row("lock x --try --timeout 1s -- true", "--try");
        row("tree a//b", "a//b");
        row("ls -o xml", "xml");
        row("--connect :: ls", "--connect");
        row("--connect zk:2181/jobs,zk2:2181 ls", "the path stands once, after the last server");
        row("--connect zk:2181/jobs/ ls", "must not end with /");
        row("worker --slots 0", "--slots");
        row("worker --allow-root --policy none --id leases", "is what another recipe calls its nodes");
        row("worker --allow-root --listen *:0", "port 0 takes no connections");
        row("worker --allow-root --listen [::1]:0", "port 0 takes no connections");
        row("worker --memory much", "--memory");
        row("worker --memory 0", "--memory: \"0\" is too little; give at least 1 MiB");
        row("worker --session-timeout 1ms", "--session-timeout: \"1ms\" is too short; give at least 1s");
        row("worker --labels gpu,,ssd", "--label");
        row("worker cordon", "too few arguments");
        row("worker drain W_1", "is not a worker id");
        row("worker drain w1 --timeout soon", "--timeout");
        row("queue pause Q_1", "is not a queue of jobs");
        row("queue limit default 0", "N");
        row("queue limit default some", "N");
        row("limit set ../x 1", "no limit can be called");
        row("limit set x 0", "K");
    }
    void usage()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, message);
        const Finished finished = m_drover.run(arguments);
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(message), finished.err);
        QVERIFY(finished.out.isEmpty());
    }

    void noZooKeeperGiven()
    {
        const Finished finished = m_alone.run({QStringLiteral("ls")});
        QCOMPARE(finished.exitCode, 6);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("drover up"), finished.err);
    }

    void wrongPort()
    {
        QTcpServer reserved;
        QVERIFY(reserved.listen(QHostAddress::LocalHost));
        const QString address = QStringLiteral("127.0.0.1:%1").arg(reserved.serverPort());
        reserved.close();
        for (const char *const command : {"ls", "worker --allow-root", "submit -- true", "lock x -- true", "tree /"}) {
            const Finished finished =
                m_alone.run(QStringList{QStringLiteral("--connect"), address, QStringLiteral("--connect-timeout"),
                                        QStringLiteral("400ms")}
                            + QString::fromLatin1(command).split(u' '));
            QCOMPARE(finished.exitCode, 6);
            QVERIFY2(finished.complainsOnce() && finished.err.contains(address.toLatin1())
                         && finished.err.contains("--connect"),
                     finished.err);
        }
    }

    void aServerThatNeverAnswersIsGivenUpAfterFiveSeconds()
    {
        QTcpServer silent; // accepts, never answers
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        QElapsedTimer timer;
        timer.start();
        const Finished finished = m_alone.run({QStringLiteral("ls"), QStringLiteral("--connect"),
                                               QStringLiteral("127.0.0.1:%1").arg(silent.serverPort())});
        QCOMPARE(finished.exitCode, 6);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("within 5s"), finished.err);
        QVERIFY(timer.elapsed() >= 5000);
    }

    // A stopped process behind a proxy, for example. Each new connection is one more that is only accepted.
    void aServerThatOnlyShakesHands()
    {
        QTcpServer polite;
        QVERIFY(polite.listen(QHostAddress::LocalHost));
        int greeted = 0;
        connect(&polite, &QTcpServer::newConnection, this, [&] {
            QTcpSocket *const client = polite.nextPendingConnection();
            const auto isGreeted = std::make_shared<bool>(false);
            connect(client, &QTcpSocket::readyRead, client, [client, isGreeted, &greeted] {
                if (client->bytesAvailable() < 44 || std::exchange(*isGreeted, true))
                    return; // its greeting is not whole yet, or this is a request
                QByteArray answer;
                QDataStream out(&answer, QIODevice::WriteOnly);
                out << qint32(37) << qint32(0) << qint32(10'000) << qint64(7) << QByteArray(16, 'p') << false;
                client->write(answer);
                ++greeted;
            });
        });
        for (const char *const command : {"ls", "doctor", "submit -- true", "worker --allow-root", "tree /"}) {
            const Finished finished =
                m_alone.run(words("--connect-timeout 500ms --connect")
                            << QStringLiteral("127.0.0.1:%1").arg(polite.serverPort()) << words(command));
            QVERIFY2(finished.exitCode == (command == QByteArray("doctor") ? 1 : 6),
                     command + (": " + finished.out) + finished.err);
            QVERIFY2((finished.out + finished.err).contains("within 500ms"), finished.err);
        }
        QVERIFY(greeted >= 5);
    }

    void aWebServerOnThePort()
    {
        QTcpServer web;
        QVERIFY(web.listen(QHostAddress::LocalHost));
        connect(&web, &QTcpServer::newConnection, this, [&web] {
            QTcpSocket *const client = web.nextPendingConnection();
            connect(client, &QTcpSocket::readyRead, client, [client] {
                if (!client->peek(100).endsWith("\r\n\r\n"))
                    return; // its request is not whole yet
                client->write("HTTP/1.1 400 Bad Request\r\n\r\n");
                client->disconnectFromHost();
            });
        });
        const QString address = QStringLiteral("127.0.0.1:%1").arg(web.serverPort());
        const Finished finished = m_alone.run(words("ls --connect-timeout 2s --connect") << address);
        QCOMPARE(finished.exitCode, 6);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("check the address")
                     && finished.err.contains(address.toLatin1() + " is the port of another program")
                     && finished.err.contains("HTTP/1.1 400 Bad Request"),
                 finished.err);
        const Finished doctor = m_alone.run(words("doctor --connect-timeout 2s --connect") << address);
        QCOMPARE(doctor.exitCode, 1);
        QVERIFY2(doctor.out.contains("ZooKeeper " + address.toLatin1() + ": is the port of another program")
                     && !doctor.out.contains("does not answer") && !doctor.out.contains("majority"),
                 doctor.out);
    }

    void aServerThatDoesNotStart()
    {
        QTcpServer thief;
        QVERIFY(thief.listen(QHostAddress::LocalHost));
        const QString port = QString::number(thief.serverPort());
        const Finished taken = DroverProgram().run(words("up --workers 1 --port") << port);
        QCOMPARE(taken.exitCode, 1);
        QVERIFY2(taken.complainsOnce() && taken.err.contains("port " + port.toLatin1() + " is taken"), taken.err);

        const DroverProgram ruined;
        const QString data = ruined.environment().value(QStringLiteral("XDG_DATA_HOME"))
            + QStringLiteral("/drover/zookeeper/data/version-2");
        QVERIFY(QDir().mkpath(data));
        QFile log(data + QStringLiteral("/log.1"));
        QVERIFY(log.open(QIODevice::WriteOnly) && log.write("not a log of transactions") > 0 && log.flush());
        const Finished corrupt = ruined.run(words("up --workers 1"));
        QCOMPARE(corrupt.exitCode, 1);
        QVERIFY2(corrupt.complainsOnce() && corrupt.err.contains("its data cannot be read")
                     && corrupt.err.contains("move it away to begin anew"),
                 corrupt.err);
    }

    void wrongCluster()
    {
        for (const char *const command : {"ls", "submit -- true", "run -- true", "show default-1", "worker ls",
                                          "queue ls", "master show", "tree", "cancel default-1", "lock x -- true"}) {
            const Finished finished = m_drover.run(QStringList{QStringLiteral("--cluster"), QStringLiteral("nowhere")}
                                                   + QString::fromLatin1(command).split(u' '));
            QCOMPARE(finished.exitCode, 3);
            QVERIFY2(finished.complainsOnce() && finished.err.contains("nowhere") && finished.err.contains("default"),
                     finished.err);
        }
    }

    void aConsoleWithoutADisplay()
    {
        QProcessEnvironment environment = m_drover.environment();
        for (const char *const name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QLatin1String(name));
        const auto run = [&](const QStringList &arguments) {
            QProcess process;
            process.setProcessEnvironment(environment);
            process.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover-console"), arguments);
            return DroverProgram::finish(process);
        };
        const Finished finished = run({});
        QCOMPARE(finished.exitCode, 1);
        QVERIFY2(finished.err.startsWith("drover-console: there is no display") && finished.err.count('\n') == 1,
                 finished.err);
        const Finished help = run({QStringLiteral("--help")});
        QCOMPARE(help.exitCode, 0);
        QVERIFY(help.out.contains("--screenshot"));
    }

    void specOverTheCap()
    {
        const Finished finished = m_drover.run(
            {QStringLiteral("submit"), QStringLiteral("--"), QStringLiteral("echo"), QString(100'000, u'x')});
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("65536"), finished.err);
        QCOMPARE(m_cluster.children(m_layout.queue("default")).size(), 0);
    }

    void unknownJob()
    {
        for (const char *const command : {"show", "logs", "logs -f", "wait", "cancel"}) {
            const Finished finished =
                m_drover.run(QString::fromLatin1(command).split(u' ') + QStringList{QStringLiteral("default-99")});
            QCOMPARE(finished.exitCode, 3);
            QVERIFY2(finished.complainsOnce() && finished.err.contains("default-99"), finished.err);
        }
    }

    void unknownQueueLockAndZnode()
    {
        for (const char *const command :
             {"submit --queue nowhere -- true", "ls --queue nowhere", "tree /nowhere", "tree nowhere"}) {
            const Finished finished = m_drover.run(QString::fromLatin1(command).split(u' '));
            QCOMPARE(finished.exitCode, 3);
            QVERIFY2(finished.complainsOnce() && finished.err.contains("nowhere"), finished.err);
        }
    }

    void unknownWorkersAndQueues()
    {
        for (const char *const command : {"worker show nowhere", "worker cordon nowhere", "worker drain nowhere",
                                          "queue pause nowhere", "queue resume nowhere", "queue limit nowhere 3"}) {
            const Finished finished = m_drover.run(QString::fromLatin1(command).split(u' '));
            QCOMPARE(finished.exitCode, 3);
            QVERIFY2(finished.complainsOnce() && finished.err.contains("nowhere"), finished.err);
        }
        const Finished lifted =
            m_drover.run({QStringLiteral("worker"), QStringLiteral("uncordon"), QStringLiteral("nowhere")});
        QCOMPARE(lifted.exitCode, 4);
        QVERIFY2(lifted.complainsOnce() && lifted.err.contains("not cordoned"), lifted.err);
    }

    void noMasterWithoutWorkers()
    {
        const Finished finished = m_drover.run({QStringLiteral("master"), QStringLiteral("show")});
        QCOMPARE(finished.exitCode, 3);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("no worker"), finished.err);
    }

    void fullQueue()
    {
        jobs::ClusterConfig config;
        config.queueLimit = 2;
        m_cluster.write(m_layout.config(), config.encode());
        const QStringList submit{QStringLiteral("submit"), QStringLiteral("--queue"), QStringLiteral("full"),
                                 QStringLiteral("--"), QStringLiteral("true")};
        QCOMPARE(m_drover.run(submit).exitCode, 0);
        QCOMPARE(m_drover.run(submit).exitCode, 0);
        const Finished finished = m_drover.run(submit);
        QCOMPARE(finished.exitCode, 7);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("--queue-limit"), finished.err);
        QCOMPARE(m_cluster.children(m_layout.queue("full")).size(), 2);
        m_cluster.write(m_layout.config(), jobs::ClusterConfig().encode());
    }

    void waitingHasALimit()
    {
        const Finished submitted =
            m_drover.run({QStringLiteral("submit"), QStringLiteral("--"), QStringLiteral("true")});
        QCOMPARE(submitted.exitCode, 0);
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        const Finished finished =
            m_drover.run({QStringLiteral("wait"), id, QStringLiteral("--timeout"), QStringLiteral("100ms")});
        QCOMPARE(finished.exitCode, 124);
        QVERIFY2(finished.complainsOnce(), finished.err);
        const Finished notBegun = m_drover.run({QStringLiteral("logs"), id});
        QCOMPARE(notBegun.exitCode, 4);
        // 49 days and 704 ms, which are 704 ms in 32 bits.
        const auto patient =
            m_drover.start({QStringLiteral("wait"), id, QStringLiteral("--timeout"), QStringLiteral("4294968s")});
        QVERIFY(!patient->waitForFinished(2000));
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), id}).exitCode, 0);
        QCOMPARE(DroverProgram::finish(*patient).exitCode, 125);
        const Finished again = m_drover.run({QStringLiteral("cancel"), id});
        QCOMPARE(again.exitCode, 4);
        QVERIFY2(again.complainsOnce() && again.err.contains("already ended"), again.err);
    }

    void directoryThatCannotBeWritten()
    {
        DroverProgram drover;
        // A file where a directory should be fails for root as well.
        const QString file = drover.directory() + QStringLiteral("/file");
        QVERIFY(QFile(file).open(QIODevice::WriteOnly));
        drover.setVariable("XDG_STATE_HOME", file);
        for (const char *const command : {"up", "up --detach"}) {
            const Finished finished = drover.run(QString::fromLatin1(command).split(u' '));
            QCOMPARE(finished.exitCode, 1);
            QVERIFY2(finished.complainsOnce() && finished.err.contains(file.toLatin1()), finished.err);
        }
        drover.setVariable("DROVER_CONNECT", m_cluster.server.connectString());
        const Finished worker = drover.run({QStringLiteral("worker")});
        QCOMPARE(worker.exitCode, 1);
        QVERIFY2(worker.complainsOnce() && worker.err.contains(file.toLatin1()), worker.err);

        const Finished spool = drover.run({QStringLiteral("worker"), QStringLiteral("--spool"), file});
        QCOMPARE(spool.exitCode, 1);
        QVERIFY2(spool.complainsOnce() && spool.err.contains(file.toLatin1() + ": Not a directory; move it away"),
                 spool.err);
    }

    // The next file or connection would get the number of one that is closed, and what is printed would go there.
    void closedStandardDescriptorsDoNoHarm()
    {
        QCOMPARE(m_drover.run({QStringLiteral("submit"), QStringLiteral("--"), QStringLiteral("true")}).exitCode, 0);
        const Finished whole = m_drover.shell("drover ls -o json --all");
        QVERIFY2(whole.exitCode == 0 && whole.out.contains("default-"), whole.err);
        const Finished noInput = m_drover.shell("drover ls -o json --all <&-");
        QVERIFY2(noInput.exitCode == 0 && noInput.err.isEmpty() && noInput.out.contains("default-"), noInput.err);
        const Finished noError = m_drover.shell("drover ls -o json --all 2>&-");
        QVERIFY2(noError.exitCode == 0 && noError.out.contains("default-"), noError.out);
        const Finished noOutput = m_drover.shell("drover ls -o json --all >&-");
        QVERIFY2(noOutput.exitCode == 1 && noOutput.complainsOnce() && noOutput.err.contains("Bad file descriptor"),
                 noOutput.err);
        const Finished none = m_drover.shell("drover submit -- true <&- >&- 2>&-");
        QCOMPARE(none.exitCode, 1); // it could not say which job it is
    }

    // Qt aborts without descriptors.
    void tooFewDescriptorsAreALine()
    {
        for (const char *const program : {"drover ls", "drover up", "drover worker", "drover-console"}) {
            const Finished finished = m_drover.shell("ulimit -n 5; $DROVER_BIN_DIR/" + QByteArray(program));
            QCOMPARE(finished.exitCode, 1);
            QVERIFY2(finished.complainsOnce() && finished.err.contains("ulimit -n"), finished.err);
        }
    }
};

QTEST_GUILESS_MAIN(BadInputTest)
#include "bad_input_test.moc"
