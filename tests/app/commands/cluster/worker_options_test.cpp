#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QFileInfo>
#include <QTcpSocket>
#include <QTest>

#include <csignal>

#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

// What a worker lets its jobs do, whatever their submitters ask for.
class WorkerOptionsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    void startWorker(const QString &options)
    {
        m_worker = m_drover.start(words("worker --slots 1") + options.split(u' ', Qt::SkipEmptyParts));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    // Of a shell.
    QByteArray jobPrints(const QString &script) const
    {
        const Finished finished = m_drover.run(words("run -- sh -c") << script);
        return finished.exitCode == 0 ? finished.out : "failed: " + finished.err;
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default"}); }

    void cleanup() { m_cluster.stopWorker(m_worker); }

    // Two machines of one name whose spools were the same: none has an id of its own.
    void aCopyOfAMachineSaysHowToMendIt()
    {
        startWorker(QStringLiteral("--spool first"));
        const QByteArray id = m_cluster.children(m_cluster.layout.members()).value(0);
        QVERIFY2(m_drover.shell("mkdir copy && cp -r first/ids copy").exitCode == 0, "cp");
        std::unique_ptr<QProcess> copy = m_drover.start(words("worker --slots 1 --spool copy --session-timeout 1s"));
        QByteArray seen;
        const auto tells = [&] {
            seen += copy->readAllStandardError();
            return seen.contains("still has the id " + id) && seen.contains("copy/ids and start again");
        };
        QTRY_VERIFY2_WITH_TIMEOUT(tells(), seen, 60'000);
        QVERIFY2(seen.contains("process " + QByteArray::number(m_worker->processId())), seen);
        sendSignal(*m_worker, SIGTERM); // the copy joins in its place
        DroverProgram::finish(*m_worker);
        const auto joins = [&] {
            seen += copy->readAllStandardError();
            return seen.contains("worker " + id + ": queues ");
        };
        QTRY_VERIFY2_WITH_TIMEOUT(joins(), seen, 60'000);
        m_worker = std::move(copy);
    }

    void jobsGetNoNewPrivileges_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("usually") << QString() << QByteArray("NoNewPrivs:\t1\n");
        QTest::newRow("unless they are allowed to")
            << QStringLiteral("--allow-setuid") << QByteArray("NoNewPrivs:\t0\n");
    }
    void jobsGetNoNewPrivileges()
    {
        QFETCH(QString, options);
        QFETCH(QByteArray, expected);
        startWorker(options);
        QCOMPARE(jobPrints(QStringLiteral("grep NoNewPrivs /proc/self/status")), expected);
    }

    // Capabilities for files, processes and users stay, and none for the kernel, mounts and hidden processes.
    void jobsOfRootHaveOrdinaryCapabilities()
    {
        if (::geteuid() != 0)
            QSKIP("this test has to be root");
        startWorker(QStringLiteral("--host-pids"));
        const QByteArray line = jobPrints(QStringLiteral("grep CapEff /proc/self/status"));
        const quint64 effective = line.mid(7).trimmed().toULongLong(nullptr, 16);
        for (const int dropped : {CAP_SYS_ADMIN, CAP_SYS_MODULE, CAP_SYS_PTRACE, CAP_SYS_TIME, CAP_NET_ADMIN})
            QVERIFY2((effective >> dropped & 1) == 0, line);
        for (const int kept : {CAP_DAC_OVERRIDE, CAP_CHOWN, CAP_SETUID, CAP_KILL})
            QVERIFY2((effective >> kept & 1) == 1, line);
        const QByteArray seen =
            jobPrints(QStringLiteral("cat /proc/%1/environ 2>&1 || echo none").arg(m_worker->processId()));
        QVERIFY2(seen.endsWith("none\n") && seen.contains("ermission denied"), seen);
    }

    void jobsRunAsRootOnlyWhereThatIsAllowed()
    {
        if (::geteuid() != 0)
            QSKIP("this test has to be root");
        const Finished refused = m_drover.shell("drover worker --connect-timeout 1s");
        QCOMPARE(refused.exitCode, 5);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("--allow-root"), refused.err);
        startWorker(QStringLiteral("--allow-root"));
        QCOMPARE(jobPrints(QStringLiteral("id -un")), QByteArray("root\n"));
    }

    // Not that of the shell which starts the worker.
    void jobsHaveTheWorkersUmask_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("expected");
        QTest::addColumn<int>("folder");
        QTest::addColumn<int>("file");
        QTest::newRow("usually") << QString() << QByteArray("0022\n") << 0755 << 0644;
        QTest::newRow("with the option") << QStringLiteral("--umask 27") << QByteArray("0027\n") << 0750 << 0640;
    }
    void jobsHaveTheWorkersUmask()
    {
        QFETCH(QString, options);
        QFETCH(QByteArray, expected);
        QFETCH(int, folder);
        QFETCH(int, file);
        const mode_t before = ::umask(0);
        startWorker(options);
        ::umask(before);
        QCOMPARE(jobPrints(QStringLiteral("umask")), expected);

        const QString made = m_drover.directory() + QStringLiteral("/made-%1/out").arg(file);
        const Finished copied = m_drover.run(words("run --stdout") << made << words("-- echo text"));
        QVERIFY2(copied.exitCode == 0, copied.err);
        struct ::stat status {
        };
        QCOMPARE(::stat(qPrintable(made), &status), 0);
        QCOMPARE(int(status.st_mode & 07777), file);
        QCOMPARE(::stat(qPrintable(QFileInfo(made).path()), &status), 0);
        QCOMPARE(int(status.st_mode & 07777), folder);
    }

    // Here and not from another machine, where ZooKeeper is: not on all addresses.
    void outputIsServedTowardsZooKeeper_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<bool>("everywhere");
        QTest::newRow("usually") << QString() << false;
        QTest::newRow("with the option") << QStringLiteral("--listen *") << true;
    }
    void outputIsServedTowardsZooKeeper()
    {
        QFETCH(QString, options);
        QFETCH(bool, everywhere);
        startWorker(options);
        const QByteArrayList members = m_cluster.children(m_cluster.layout.members());
        const auto endpoint = [&] {
            return m_cluster.json(m_cluster.layout.members() / members.first()).value(u"endpoint").toString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(!endpoint().isEmpty(), 30'000);
        if (!everywhere)
            QVERIFY2(endpoint().startsWith(u"127.0.0.1:"), qPrintable(endpoint()));
        const quint16 port = endpoint().section(u':', -1).toUShort();
        for (const char *const address : {"127.0.0.1", "127.0.0.2"}) {
            QTcpSocket socket;
            socket.connectToHost(QLatin1String(address), port);
            const bool isExpected = everywhere || qstrcmp(address, "127.0.0.1") == 0;
            QCOMPARE(socket.waitForConnected(10'000), isExpected);
        }
    }

    // A key that leaked is of no use later, nor with another worker.
    void eachSessionOfAWorkerHasAKeyOfItsOwn()
    {
        const zk::Path outputs = m_cluster.layout.outputs();
        QStringList keys;
        for (int i = 0; i < 2; ++i) {
            startWorker(QStringLiteral("--id w1"));
            QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(outputs), QByteArrayList(1, "w1"), 30'000);
            keys.append(m_cluster.json(outputs / "w1").value(u"key").toString());
            QCOMPARE(keys.last().size(), 64);
            m_cluster.stopWorker(m_worker);
            QVERIFY(m_cluster.children(outputs).isEmpty());
        }
        QVERIFY(keys[0] != keys[1]);
        QVERIFY(!m_cluster.children(m_cluster.layout.root()).contains("key"));
    }

    void aJobKeepsNoMoreOutputThanItsWorkerAllows()
    {
        startWorker(QStringLiteral("--max-output 64K"));
        const Finished submitted =
            m_drover.run(words("submit --output-limit 10M -- sh -c") << QStringLiteral("yes | head -c 1000000"));
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        QCOMPARE(m_drover.run(words("wait") << id).exitCode, 0);
        const Finished logs = m_drover.run(words("logs") << id);
        QVERIFY2(logs.out.size() > 32'000 && logs.out.size() < 70'000, QByteArray::number(logs.out.size()));
        QCOMPARE(json(m_drover.run(words("show -o json") << id)).value(u"output_truncated").toBool(), true);
    }

    // By a policy file, which its owner writes. Without control groups tail is refused the memory, and says so itself.
    void aJobGetsNoMoreMemoryThanItsWorkerAllows_data()
    {
        QTest::addColumn<QString>("asks");
        QTest::addColumn<int>("megabytes"); // that it takes
        QTest::addColumn<bool>("ends"); // well
        QTest::newRow("for none") << QString() << 150 << false;
        QTest::newRow("for more") << QStringLiteral("--memory 300M") << 150 << false;
        QTest::newRow("for a limit of its own, and that an endless one")
            << QStringLiteral("--ulimit data=unlimited") << 150 << false;
        QTest::newRow("and takes little") << QString() << 1 << true;
    }
    void aJobGetsNoMoreMemoryThanItsWorkerAllows()
    {
        QFETCH(QString, asks);
        QFETCH(int, megabytes);
        QFETCH(bool, ends);
        QFile policy(m_drover.directory() + QStringLiteral("/bounded.toml"));
        QVERIFY(
            policy.open(QIODevice::WriteOnly)
            && policy.write(::geteuid() == 0 ? "max_memory = \"40M\"\nallow_root = true\n" : "max_memory = \"40M\"\n")
                > 0);
        policy.close();
        startWorker(QStringLiteral("--policy bounded.toml"));
        const QString size = QString::number(megabytes) + QStringLiteral("000000");
        const QString script = QStringLiteral("head -c %1 /dev/zero | tail -c %1 | wc -c").arg(size);
        const Finished submitted =
            m_drover.run(words("submit") + asks.split(u' ', Qt::SkipEmptyParts) + words("-- sh -c") << script);
        QVERIFY2(submitted.exitCode == 0, submitted.err);
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        m_drover.run(words("wait --timeout 60s") << id, 90'000);
        const QJsonObject shown = json(m_drover.run(words("show -o json") << id));
        const Finished logs = m_drover.run(words("logs --stderr") << id);
        const bool isLimited =
            shown[u"reason"].toString() == u"out of memory (limit 40 MiB)" || logs.err.contains("memory");
        QVERIFY2(isLimited != ends, qPrintable(shown[u"reason"].toString()));
        QCOMPARE(m_drover.run(words("logs") << id).out == size.toUtf8() + '\n', ends);
    }

    // A job that ignores SIGTERM could run on for a day after its cancel.
    void aJobsGraceIsNoLongerThanItsWorkerAllows()
    {
        startWorker(QStringLiteral("--max-grace 100ms"));
        const QString script = QStringLiteral("trap '' TERM; echo ready; while :; do sleep 1; done");
        for (const char *const options : {"--grace 24h --time-limit 1s", "--grace 24h"}) {
            const Finished submitted = m_drover.run(words("submit") + words(options) + words("-- sh -c") << script);
            const QString id = QString::fromUtf8(submitted.out.trimmed());
            QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("logs") << id).out.contains("ready"), 60'000);
            if (qstrcmp(options, "--grace 24h") == 0)
                QCOMPARE(m_drover.run(words("cancel") << id).exitCode, 0);
            m_drover.run(words("wait --timeout 60s") << id, 90'000);
            const QString state = json(m_drover.run(words("show -o json") << id)).value(u"state").toString();
            QVERIFY2(state == u"failed" || state == u"cancelled", qPrintable(state));
        }
        const Finished refused = m_drover.run(words("submit --grace 25h -- true"));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("24h"), refused.err);
    }

    void aForkBombHitsItsWorkersLimit_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("usually") << QString() << QByteArray("code 0\n");
        QTest::newRow("with the option") << QStringLiteral("--max-processes 40")
                                         << QByteArray("code 2\n"); // cannot fork
    }
    void aForkBombHitsItsWorkersLimit()
    {
        QFETCH(QString, options);
        QFETCH(QByteArray, expected);
        if (::access("/sys/fs/cgroup/pids/cgroup.procs", W_OK) != 0)
            QSKIP("no control groups for processes here");
        startWorker(options);
        QCOMPARE(jobPrints(QStringLiteral("sh -c 'for i in $(seq 60); do sleep 600 & done'; echo code $?")), expected);
    }

    void anUmaskIsOctal()
    {
        for (const char *const mask : {"088", "1000", "rwx"}) {
            const Finished refused = m_drover.run(words("worker --umask") << QString::fromLatin1(mask));
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("octal"), refused.err);
        }
    }
};

QTEST_GUILESS_MAIN(WorkerOptionsTest)
#include "worker_options_test.moc"
