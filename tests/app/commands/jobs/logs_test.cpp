#include "app/bench/relay/delay_relay.h"
#include "app/support/drover_on_server.h"
#include "app/support/elsewhere.h"
#include "app/support/reserved_port.h"
#include "support/send_signal.h"

#include <QFile>
#include <QJsonDocument>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// Lets who comes to an address of this machine in to a server on its loopback interface.
class Forwarder
{
public:
    Forwarder(const QHostAddress &address, quint16 target)
    {
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this, target] {
            QTcpSocket *const client = m_server.nextPendingConnection();
            auto *const server = new QTcpSocket(client);
            server->connectToHost(QHostAddress::LocalHost, target);
            pass(client, server);
            pass(server, client);
            QObject::connect(client, &QTcpSocket::disconnected, client, &QObject::deleteLater);
            QObject::connect(server, &QTcpSocket::disconnected, client, &QTcpSocket::disconnectFromHost);
        });
        m_server.listen(address);
    }
    quint16 port() const { return m_server.serverPort(); }

private:
    static void pass(QTcpSocket *from, QTcpSocket *to)
    {
        QObject::connect(from, &QTcpSocket::readyRead, to, [from, to] { to->write(from->readAll()); });
    }

    QTcpServer m_server;
};

// Another network, with a cable to ours; both go with this object.
class OtherNetwork
{
public:
    OtherNetwork()
    {
        m_isThere = sh("ip netns add %1 && ip link add v%1a type veth peer name v%1b netns %1 && "
                       "ip addr add %2/30 dev v%1a && ip link set v%1a up && "
                       "ip -n %1 addr add %3/30 dev v%1b && ip -n %1 link set v%1b up && "
                       "ip -n %1 link set lo up");
    }
    ~OtherNetwork() { sh("ip netns del %1"); }

    bool isThere() const { return m_isThere; }
    QString name() const { return m_name; }
    QString ours() const { return address(1); }
    QString theirs() const { return address(2); }

private:
    bool sh(const char *command) const
    {
        const QString script = QString::fromLatin1(command)
                                   .replace(QStringLiteral("%1"), m_name)
                                   .replace(QStringLiteral("%2"), ours())
                                   .replace(QStringLiteral("%3"), theirs());
        return QProcess::execute(QStringLiteral("sh"), {QStringLiteral("-c"), script}) == 0;
    }

    // Four addresses for each run, so that those at the same time do not meet.
    QString address(qint64 number) const
    {
        const qint64 four = m_pid % (64 * 250);
        return QStringLiteral("10.231.%1.%2").arg(four / 64).arg(4 * (four % 64) + number);
    }

    const qint64 m_pid = QCoreApplication::applicationPid();
    const QString m_name = QStringLiteral("dr%1").arg(m_pid);
    bool m_isThere = false;
};

} // namespace

// What jobs write, read from a machine that shares nothing with their worker's but ZooKeeper: for the reader, nothing
// is where the workers of this test keep their files.
class LogsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    QTemporaryDir m_directory;

    QString trigger() const { return m_directory.filePath(QStringLiteral("go")); }

    void pull() const
    {
        QFile file(trigger());
        QVERIFY(file.open(QIODevice::WriteOnly));
    }

    // A worker that others can reach through a relay.
    void startWorker(const QStringList &options)
    {
        m_worker =
            m_cluster.drover.start(QStringList{QStringLiteral("worker"), QStringLiteral("--slots"), QStringLiteral("4"),
                                               QStringLiteral("--session-timeout"), QStringLiteral("10s")}
                                   + options);
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    void stopWorker(int signal = SIGTERM)
    {
        if (!m_worker)
            return;
        sendSignal(*m_worker, signal);
        DroverProgram::finish(*m_worker);
        m_worker.reset();
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 0, 30'000);
    }

    QString submit(const QString &script, const QStringList &options = {}) const
    {
        const Finished finished = m_cluster.drover.run(
            QStringList(QStringLiteral("submit")) + options
            + QStringList{QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), script});
        if (finished.exitCode != 0)
            qWarning("%s", finished.err.constData());
        return QString::fromUtf8(finished.out.trimmed());
    }

    void waitFor(const QString &job) const { m_cluster.drover.run({QStringLiteral("wait"), job}); }

    std::unique_ptr<QProcess> startElsewhere(const QStringList &arguments) const
    {
        return test::startElsewhere(m_cluster.drover, arguments);
    }

    Finished elsewhere(const QStringList &arguments) const
    {
        const std::unique_ptr<QProcess> process = startElsewhere(arguments);
        return DroverProgram::finish(*process);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!hasElsewhere())
            QSKIP("unshare --mount is not allowed here: no second machine to be had");
        m_cluster.start({"default"});
        m_cluster.drover.setVariable("DROVER_CREDENTIALS", m_directory.filePath(QStringLiteral("c"))); // both see it
        m_cluster.credentials().write(m_directory.filePath(QStringLiteral("c")));
    }

    void init() { QFile::remove(trigger()); }
    void cleanup() { stopWorker(); }

    void outputIsFollowedFromAnotherMachine()
    {
        startWorker({});
        const QString job =
            submit(QStringLiteral("seq 1 20000; echo oops >&2; until test -e %1; do sleep 0.05; done; echo end")
                       .arg(trigger()));
        const auto follower = startElsewhere({QStringLiteral("logs"), QStringLiteral("-f"), job});
        QByteArray seen;
        QVERIFY(waitForOutput(*follower, "\n20000\n", seen));
        const Finished now = elsewhere({QStringLiteral("logs"), job});
        QVERIFY2(now.exitCode == 0 && now.out == seen && now.err.isEmpty(), now.err);
        const auto last = startElsewhere(words("logs -f --tail 2") << job);
        QByteArray lastSeen;
        QVERIFY(waitForOutput(*last, "20000\n", lastSeen));

        pull();
        const Finished followed = DroverProgram::finish(*follower);
        QVERIFY2(followed.exitCode == 0 && followed.err.isEmpty(), followed.err);
        seen += followed.out;
        QByteArray expected;
        for (int i = 1; i <= 20000; ++i)
            expected += QByteArray::number(i) + '\n';
        QCOMPARE(seen, expected + "end\n");
        QCOMPARE(lastSeen + DroverProgram::finish(*last).out, QByteArray("19999\n20000\nend\n"));

        waitFor(job);
        const Finished ended = elsewhere({QStringLiteral("logs"), job});
        QVERIFY2(ended.err.isEmpty(), ended.err);
        QCOMPARE(ended.out, seen);
        QCOMPARE(elsewhere(words("logs --stderr") << job).out, QByteArray());
        QCOMPARE(elsewhere(words("logs --stderr") << job).err, QByteArray("oops\n"));
        QCOMPARE(elsewhere(words("logs --tail 3") << job).out, QByteArray("19999\n20000\nend\n"));
        QCOMPARE(elsewhere(words("logs --tail 0") << job).out, QByteArray());
        QCOMPARE(m_cluster.drover.run({QStringLiteral("logs"), job}).out, seen); // and on the worker's own machine
    }

    void tasksOfArraysHaveTheirOwn()
    {
        startWorker({});
        const QString array = submit(QStringLiteral("echo task $DROVER_ARRAY_INDEX"), words("--array 1-3"));
        waitFor(array);
        QCOMPARE(elsewhere({QStringLiteral("logs"), array + QStringLiteral(".2")}).out, QByteArray("task 2\n"));
    }

    void runPrintsWhatItsJobWritesElsewhere()
    {
        startWorker({});
        const Finished finished = elsewhere(words("run -- sh -c") << QStringLiteral("echo out; echo err >&2; exit 3"));
        QCOMPARE(finished.exitCode, 3);
        QCOMPARE(finished.out, QByteArray("out\n"));
        QVERIFY2(finished.err.contains("err\n"), finished.err);
    }

    void anEarlierAttemptCanBeChosen()
    {
        startWorker({QStringLiteral("--id"), QStringLiteral("far-1")});
        const QString job = submit(QStringLiteral("test $DROVER_ATTEMPT = 2 || echo try $DROVER_ATTEMPT; exit 1"),
                                   words("--retries 2 --backoff 1ms"));
        waitFor(job);
        const auto attempt = [&](int number) {
            return elsewhere(words("logs --attempt") << QString::number(number) << job);
        };
        QCOMPARE(attempt(1).out, QByteArray("try 1\n"));
        QCOMPARE(attempt(3).out, QByteArray("try 3\n"));
        QCOMPARE(m_cluster.drover.run(words("logs --attempt 1") << job).out, QByteArray("try 1\n"));
        const Finished silent = attempt(2);
        QVERIFY2(silent.exitCode == 3 && silent.complainsOnce()
                     && silent.err.contains("attempt 2 of " + job.toLatin1()),
                 silent.err);
        const Finished none = attempt(4);
        QVERIFY2(none.exitCode == 4 && none.complainsOnce() && none.err.contains("has begun 3 attempts"), none.err);
        QCOMPARE(attempt(0).exitCode, 2);
        QCOMPARE(m_cluster.drover.run(words("logs -f --attempt 1") << job).exitCode, 2);
        stopWorker();
        const Finished gone = attempt(1);
        QVERIFY2(gone.exitCode == 3 && gone.complainsOnce() && gone.err.contains("no worker"), gone.err);
    }

    // What the first attempt wrote is there while the second has not begun.
    void theAttemptOfALostWorkerCanBeChosen()
    {
        startWorker({});
        const QString job = submit(QStringLiteral("echo try $DROVER_ATTEMPT; exec sleep 600"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.drover.run(words("logs") << job).out, QByteArray("try 1\n"), 30'000);
        stopWorker(SIGKILL);
        const Finished hint = m_cluster.drover.run(words("logs") << job);
        QVERIFY2(hint.exitCode == 4 && hint.err.contains("drover logs --attempt 1 " + job.toLatin1()), hint.err);
        QCOMPARE(m_cluster.drover.run(words("logs --attempt 1") << job).out, QByteArray("try 1\n"));
        QCOMPARE(m_cluster.drover.run(words("cancel") << job).exitCode, 0);
        const auto early = [&] { return m_cluster.drover.run(words("logs --attempt 1") << job); };
        QCOMPARE(early().out, QByteArray("try 1\n")); // no worker is in its record
        // As if an older cluster's job with the same number had written it.
        m_cluster.drover.shell("find . -name '" + job.toLatin1() + ".*.out' -exec touch -d yesterday {} +");
        QCOMPARE(early().exitCode, 3);
    }

    // The worker finds out by itself by which address others reach it.
    void aWorkerOfAnotherNetworkIsFound()
    {
        const OtherNetwork network;
        if (!network.isThere())
            QSKIP("ip netns is not allowed here: no second network to be had");
        const Forwarder zooKeeper(QHostAddress(network.ours()), m_cluster.server.port());
        m_worker = std::make_unique<QProcess>();
        m_worker->setProcessEnvironment(m_cluster.drover.environment());
        m_worker->start(QStringLiteral("ip"),
                        words("netns exec")
                            << network.name() << qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover")
                            << words("worker --allow-root --policy none --id far-1 --session-timeout 10s --connect")
                            << QStringLiteral("%1:%2").arg(network.ours()).arg(zooKeeper.port()));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
        const QJsonObject shown = json(m_cluster.drover.run(words("worker show far-1 -o json")));
        const QString endpoint = shown.value(QStringLiteral("output_address")).toString();
        QVERIFY2(endpoint.startsWith(network.theirs() + u':'), qPrintable(endpoint));
        const Finished finished = elsewhere(words("run -- seq 3000"));
        QVERIFY2(finished.exitCode == 0, finished.err);
        QCOMPARE(finished.out.size(), 13893);
        stopWorker();
    }

    void aBrokenConnectionCostsNothing()
    {
        const ReservedPort reserved;
        const quint16 port = reserved.number();
        QVERIFY(port != 0);
        app::DelayRelay relay(port, 0ns);
        startWorker({QStringLiteral("--listen"), QStringLiteral("127.0.0.1:%1").arg(port),
                     QStringLiteral("--advertise"), QStringLiteral("127.0.0.1:%1").arg(relay.port())});
        const QString job =
            submit(QStringLiteral("echo one; until test -e %1; do sleep 0.05; done; echo two").arg(trigger()));
        const auto follower = startElsewhere({QStringLiteral("logs"), QStringLiteral("-f"), job});
        QByteArray seen;
        QVERIFY(waitForOutput(*follower, "one\n", seen));
        relay.refuse();
        relay.dropConnections();
        QByteArray told;
        QVERIFY(waitForMessage(*follower, "trying again", told));
        const int before = relay.counters().accepted;
        relay.resume();
        QTRY_VERIFY_WITH_TIMEOUT(relay.counters().accepted > before, 30'000);
        pull();
        const Finished followed = DroverProgram::finish(*follower);
        QCOMPARE(followed.exitCode, 0);
        QCOMPARE(seen + followed.out, QByteArray("one\ntwo\n"));
        QCOMPARE((told + followed.err).count('\n'), 1);
    }

    void aWorkerThatHasGoneLeavesTheEndInTheRecord()
    {
        startWorker({QStringLiteral("--id"), QStringLiteral("far-1")});
        const QString job = submit(QStringLiteral("seq 1 5000"));
        waitFor(job);
        stopWorker();
        const Finished ended = elsewhere({QStringLiteral("logs"), job});
        QCOMPARE(ended.exitCode, 0);
        QCOMPARE(ended.out.size(), 4096);
        QVERIFY(ended.out.endsWith("4999\n5000\n"));
        QVERIFY2(ended.err.contains("worker far-1 has gone") && ended.err.count('\n') == 1, ended.err);
        QVERIFY(elsewhere({QStringLiteral("logs"), QStringLiteral("-f"), job}).out.endsWith("5000\n"));
        // On its own machine the spool is still there.
        QVERIFY(m_cluster.drover.run({QStringLiteral("logs"), job}).out.startsWith("1\n2\n"));
        // Its successor on that machine serves it again.
        startWorker({QStringLiteral("--id"), QStringLiteral("far-2")});
        const Finished again = elsewhere({QStringLiteral("logs"), job});
        QVERIFY2(again.out.startsWith("1\n2\n") && again.err.isEmpty(), again.err);
    }

    void anotherKeyIsReported()
    {
        startWorker({QStringLiteral("--id"), QStringLiteral("far-1")});
        const QString running =
            submit(QStringLiteral("echo one; until test -e %1; do sleep 0.05; done").arg(trigger()));
        const QString ended = submit(QStringLiteral("echo out"));
        waitFor(ended);
        const zk::Path access = m_cluster.layout.output("far-1");
        m_cluster.write(
            access, m_cluster.data(access).replace("\"key\":\"", "\"key\":\"" + QByteArray(64, 'a') + "\",\"was\":\""));
        const Finished ofRunning = elsewhere({QStringLiteral("logs"), running});
        QCOMPARE(ofRunning.exitCode, 3);
        QVERIFY2(ofRunning.complainsOnce() && ofRunning.err.contains("has not proved that it has the key of far-1"),
                 ofRunning.err);
        const Finished ofEnded = elsewhere({QStringLiteral("logs"), ended});
        QCOMPARE(ofEnded.exitCode, 0);
        QCOMPARE(ofEnded.out, QByteArray("out\n"));
        QVERIFY2(ofEnded.err.count('\n') == 1 && ofEnded.err.contains("has not proved"), ofEnded.err);
        m_cluster.write(access, "nonsense");
        const Finished without = elsewhere({QStringLiteral("logs"), running});
        QVERIFY2(without.complainsOnce() && without.err.contains("no readable key"), without.err);
        pull();
        waitFor(running);
    }

    void aWorkerSaysWhereItListens()
    {
        startWorker(
            {QStringLiteral("--id"), QStringLiteral("far-1"), QStringLiteral("--listen"), QStringLiteral("127.0.0.1")});
        const Finished shown = m_cluster.drover.run(words("worker show far-1 -o json"));
        const QString endpoint =
            QJsonDocument::fromJson(shown.out).object().value(QStringLiteral("output_address")).toString();
        QVERIFY2(endpoint.startsWith(u"127.0.0.1:"), qPrintable(endpoint));
        const Finished second = m_cluster.drover.run({QStringLiteral("worker"), QStringLiteral("--listen"), endpoint});
        QCOMPARE(second.exitCode, 1);
        QVERIFY2(second.complainsOnce() && second.err.contains("--listen"), second.err);
        stopWorker();

        startWorker(
            {QStringLiteral("--id"), QStringLiteral("far-1"), QStringLiteral("--listen"), QStringLiteral("none")});
        const Finished none = m_cluster.drover.run(words("worker show far-1 -o json"));
        QVERIFY(!QJsonDocument::fromJson(none.out).object().contains(QStringLiteral("output_address")));
        const QString job = submit(QStringLiteral("until test -e %1; do sleep 0.05; done; echo end").arg(trigger()));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.claims()).size(), 1, 30'000);
        const Finished refused = elsewhere({QStringLiteral("logs"), job});
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("serves no output"), refused.err);
        pull();
        waitFor(job);
    }

    void nonsenseIsRefused_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::newRow("a name") << QStringLiteral("worker --listen localhost:1");
        QTest::newRow("no port") << QStringLiteral("worker --listen 127.0.0.1:x");
        QTest::newRow("port 0") << QStringLiteral("worker --listen *:0");
        QTest::newRow("tail") << QStringLiteral("logs --tail -1 default-0");
        QTest::newRow("no number") << QStringLiteral("logs --tail all default-0");
    }
    void nonsenseIsRefused()
    {
        QFETCH(QString, arguments);
        const Finished finished = m_cluster.drover.run(arguments.split(u' '));
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.complainsOnce(), finished.err);
    }
};

QTEST_GUILESS_MAIN(LogsTest)
#include "logs_test.moc"
