#include "app/support/drover_program.h"
#include "async/qt_loop.h"
#include "support/await.h"
#include "support/send_signal.h"
#include "zk/server/four_letter_word.h"
#include "zk/server/free_port.h"
#include "zk/server/local_server.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

// drover up --servers 3, as a user sees it: its servers fail, are killed and lose their disks.
class EnsembleUpTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;
    async::QtLoop m_loop;
    QString m_connect;
    qint64 m_upPid = 0;

    QString folder() const
    {
        return m_drover.environment().value(QStringLiteral("XDG_DATA_HOME")) + QStringLiteral("/drover/zookeeper");
    }
    QByteArray read(const QString &name) const
    {
        QFile file(folder() + u'/' + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    qint64 pidOf(int server) const { return read(QStringLiteral("%1/server.pid").arg(server)).trimmed().toLongLong(); }
    QByteArray modeOf(int server)
    {
        const quint16 port = zk::LocalServer::lastPort(folder() + u'/' + QString::number(server));
        try {
            const QByteArray answer = await(zk::fourLetterWord(QStringLiteral("127.0.0.1"), port, "srvr"));
            return zk::fieldOf(answer, "Mode");
        } catch (const zk::NoAnswer &) {
            return {};
        }
    }
    int leader()
    {
        for (int i = 1; i <= 3; ++i) {
            if (modeOf(i) == "leader")
                return i;
        }
        return 0;
    }
    bool allServe()
    {
        int followers = 0;
        for (int i = 1; i <= 3; ++i)
            followers += modeOf(i) == "follower" ? 1 : 0;
        return followers == 2 && leader() > 0;
    }
    static bool isGone(qint64 pid) { return !QFile::exists(QStringLiteral("/proc/%1").arg(pid)); }

    void up()
    {
        const Finished started = m_drover.run(words("up --detach --workers 2 -o json"), 120'000);
        QVERIFY2(started.exitCode == 0, started.err);
        QCOMPARE(json(started).value(QStringLiteral("connect")).toString(), m_connect);
        QCOMPARE(json(started).value(QStringLiteral("server_count")).toInt(), 3);
    }

    // A stranger's server that would follow the ensemble of `up`, with lines of its configuration. Throws what start()
    // throws.
    void joinAsStranger(const QString &directory, const QStringList &flags, bool knowsSecret,
                        std::chrono::milliseconds limit)
    {
        zk::LocalServerOptions options;
        options.directory = directory;
        options.id = 9;
        options.tickTime = 500ms;
        options.startLimit = limit;
        options.jvmFlags += flags;
        for (const QByteArray &line : read(QStringLiteral("1/zoo.cfg")).split('\n')) {
            if (line.startsWith("server.") || (knowsSecret && line.startsWith("quorum.")))
                options.extraConfig.append(QString::fromUtf8(line));
        }
        const QList<quint16> ports = zk::freePorts(2);
        options.extraConfig +=
            {QStringLiteral("initLimit=40"), QStringLiteral("syncLimit=10"), QStringLiteral("peerType=observer"),
             QStringLiteral("server.9=127.0.0.1:%1:%2:observer").arg(ports[0]).arg(ports[1])};
        zk::LocalServer stranger(m_loop, options);
        await(stranger.start(), limit + 30s);
        await(stranger.stop());
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished started = m_drover.run(words("up --detach --servers 3 --workers 2 -o json"), 120'000);
        QVERIFY2(started.exitCode == 0, started.err);
        m_connect = json(started).value(QStringLiteral("connect")).toString();
        m_upPid = json(started).value(QStringLiteral("pid")).toInteger();
        QCOMPARE(m_connect.count(u','), 2);
        QVERIFY(allServe());
    }

    void cleanup()
    {
        if (QTest::currentTestFailed())
            qWarning("%s", m_drover.run(words("doctor")).out.constData());
    }

    // Only its folder is a wrong one, because a test is in /tmp.
    void itsConfigurationsHaveNoFaults()
    {
        const Finished check =
            m_drover.shell("for i in 1 2 3; do sed s,=/tmp/,=/srv/, '" + folder().toUtf8()
                           + "'/$i/zoo.cfg > $i.cfg; done; drover cluster check --server-config 1.cfg "
                             "--server-config 2.cfg --server-config 3.cfg");
        QVERIFY2(check.exitCode == 0, check.out + check.err);
        QVERIFY2(check.out.contains("ensemble: 3 voting servers\n") && check.out.endsWith("\nall is well\n"),
                 check.out);
    }

    void credentialsAndJobsNameAllServers()
    {
        QCOMPARE(m_drover.run(words("run -- printenv DROVER_CONNECT")).out, m_connect.toUtf8() + '\n');
        QFile credentials(m_drover.environment().value(QStringLiteral("XDG_DATA_HOME"))
                          + QStringLiteral("/drover/trust/default.drover"));
        QVERIFY(credentials.open(QIODevice::ReadOnly));
        QVERIFY(credentials.readAll().contains(m_connect.toUtf8()));
    }

    // The lock of `drover up` is in the runtime directory, which the same user may lack in another session.
    void aSecondUpOfTheSameDataChangesNothing()
    {
        const QByteArray secret = read(QStringLiteral("quorum.jaas"));
        const Finished second = m_drover.shell("mkdir -m 700 elsewhere && XDG_RUNTIME_DIR=$PWD/elsewhere "
                                               "$DROVER_BIN_DIR/drover up --workers 1");
        QCOMPARE(second.exitCode, 1);
        QVERIFY2(second.err.contains("already runs in"), second.err);
        QVERIFY(!secret.isEmpty());
        QCOMPARE(read(QStringLiteral("quorum.jaas")), secret);
    }

    void theEnsemblesClusterIsClosed()
    {
        const DroverProgram other;
        const Finished refused = other.run(words("ls --connect") << m_connect);
        QCOMPARE(refused.exitCode, 5);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("is closed"), refused.err);
    }

    void aServerThatLacksTheSecretCannotJoin()
    {
        QTemporaryDir directory;
        const QString secret = QStringLiteral("-Djava.security.auth.login.config=%1/quorum.jaas").arg(folder());
        QElapsedTimer clock;
        clock.start();
        joinAsStranger(directory.filePath(QStringLiteral("knows")), {secret}, true, 60s);
        const std::chrono::milliseconds limit(std::max<qint64>(8'000, 4 * clock.elapsed()));
        QVERIFY_THROWS_EXCEPTION(zk::LocalServerError,
                                 joinAsStranger(directory.filePath(QStringLiteral("lacks")), {}, false, limit));
        QCOMPARE(QFile::permissions(folder() + QStringLiteral("/quorum.jaas"))
                     & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther),
                 QFile::Permissions());
    }

    void jobsGoOnWhenTheLeaderIsKilled()
    {
        const Finished submitted = m_drover.run(
            words("submit -- sh -c") << QStringLiteral("until test -e go; do sleep 0.05; done; echo $DROVER_ATTEMPT"));
        QVERIFY2(submitted.exitCode == 0, submitted.err);
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        const auto runs = [&] {
            const Finished shown = m_drover.run(words("show -o json") << id);
            return json(shown).value(QStringLiteral("state")).toString() == u"running";
        };
        QTRY_VERIFY_WITH_TIMEOUT(runs(), 60'000);
        const int killed = leader();
        const qint64 pid = pidOf(killed);
        QVERIFY(sendSignal(pid, SIGKILL));
        QCOMPARE(m_drover.run(words("run --connect-timeout 50s -- echo meanwhile")).out, "meanwhile\n");
        QVERIFY(QFile(m_drover.directory() + QStringLiteral("/go")).open(QIODevice::WriteOnly));
        QCOMPARE(m_drover.run(words("wait") << id).exitCode, 0);
        QCOMPARE(m_drover.run(words("logs") << id).out, "1\n");
        QTRY_VERIFY_WITH_TIMEOUT(pidOf(killed) != pid && allServe(), 60'000);
    }

    void aKilledUpGoesOnWithItsServers()
    {
        const QList<qint64> servers{pidOf(1), pidOf(2), pidOf(3)};
        QVERIFY(sendSignal(m_upPid, SIGKILL));
        for (const qint64 server : servers)
            QTRY_VERIFY_WITH_TIMEOUT(isGone(server), 30'000);
        up();
        QVERIFY(m_drover.run(words("ls --all")).out.contains("succeeded"));
    }

    void anotherNumberIsRefusedAndNothingLost()
    {
        QCOMPARE(m_drover.run(words("down")).exitCode, 0);
        for (int i = 1; i <= 3; ++i)
            QVERIFY(isGone(pidOf(i)));
        const Finished even = m_drover.run(words("up --servers 2"));
        QCOMPARE(even.exitCode, 2);
        QVERIFY2(even.complainsOnce() && even.err.contains("must be 1, 3 or 5"), even.err);
        for (const char *const command : {"up --servers 1", "up --servers 5 --detach"}) {
            const Finished refused = m_drover.run(words(command));
            QCOMPARE(refused.exitCode, 4);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("has the data of 3 servers"), refused.err);
        }
        up();
        QVERIFY(m_drover.run(words("ls --all")).out.contains("succeeded"));
    }

    void aServerThatLostItsDiskGetsTheDataOfTheOthers()
    {
        QCOMPARE(m_drover.run(words("down")).exitCode, 0);
        QVERIFY(QDir(folder() + QStringLiteral("/2/data")).removeRecursively());
        up();
        QTRY_VERIFY_WITH_TIMEOUT(allServe(), 60'000);
        QVERIFY(m_drover.run(words("ls --all")).out.contains("succeeded"));
        QCOMPARE(m_drover.run(words("down")).exitCode, 0);
    }

    void interruptEndsAll()
    {
        const std::unique_ptr<QProcess> foreground = m_drover.start(words("up --workers 1"));
        QByteArray seen;
        QVERIFY2(waitForOutput(*foreground, "Ctrl-C stops it", seen, 120'000), seen);
        QVERIFY2(seen.contains("3 ZooKeeper servers at " + m_connect.toUtf8()), seen);
        const QList<qint64> servers{pidOf(1), pidOf(2), pidOf(3)};
        sendSignal(*foreground, SIGINT);
        QCOMPARE(DroverProgram::finish(*foreground).exitCode, 0);
        for (const qint64 pid : servers)
            QVERIFY(isGone(pid));
    }

    void aFirstStartThatFailsDecidesNothing()
    {
        DroverProgram fresh;
        const QString path = fresh.environment().value(QStringLiteral("PATH"));
        fresh.setVariable("JAVA_HOME", {});
        fresh.setVariable("PATH", QStringLiteral("/nowhere"));
        const Finished failed = fresh.run(words("up --servers 3 --workers 1"));
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(failed.err.contains("no java in"), failed.err);
        fresh.setVariable("PATH", path);
        const Finished single = fresh.run(words("up --detach --workers 1 -o json"), 120'000);
        QVERIFY2(single.exitCode == 0, single.err);
        QCOMPARE(json(single).value(QStringLiteral("server_count")).toInt(), 1);
        QCOMPARE(fresh.run(words("down")).exitCode, 0);
    }

    void aSingleServerIsNotMadeThree()
    {
        DroverProgram single;
        QCOMPARE(single.run(words("up --detach --workers 1"), 120'000).exitCode, 0);
        QCOMPARE(single.run(words("run -- true")).exitCode, 0);
        QCOMPARE(single.run(words("down")).exitCode, 0);
        const Finished refused = single.run(words("up --servers 3 --detach"));
        QCOMPARE(refused.exitCode, 4);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("has the data of 1 server,"), refused.err);
        const Finished again = single.run(words("up --detach --workers 1 -o json"), 120'000);
        QCOMPARE(json(again).value(QStringLiteral("server_count")).toInt(), 1);
        QVERIFY(single.run(words("ls --all")).out.contains("succeeded"));
        QCOMPARE(single.run(words("down")).exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(EnsembleUpTest)
#include "ensemble_up_test.moc"
