#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QScopeGuard>
#include <QSet>
#include <QTest>

#include <csignal>

#include <unistd.h>

using namespace drover;
using namespace drover::test;

// `drover launch` for this machine: ssh = false.
class HereTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;

    QString hostsFile() const { return m_drover.directory() + QStringLiteral("/hosts.toml"); }

    // How it is without --connect, which the other tests give.
    Finished launchWithout(const char *arguments, const QString &file) const
    {
        return m_drover.run(words("launch") << file << words(arguments), 120'000);
    }

    Finished launch(const char *verb, const char *form) const
    {
        return m_drover.run(words("launch") << m_drover.directory() + QStringLiteral("/hosts.toml")
                                            << words(QStringLiteral("%1 --output %2 --connect %3")
                                                         .arg(QLatin1String(verb), QLatin1String(form),
                                                              m_cluster.server.connectString())),
                            120'000);
    }

    static QList<QJsonObject> linesOf(const Finished &finished)
    {
        QList<QJsonObject> lines;
        for (const QByteArray &line : finished.out.trimmed().split('\n'))
            lines.append(QJsonDocument::fromJson(line).object());
        return lines;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        QFile file(m_drover.directory() + QStringLiteral("/hosts.toml"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("prefix = \"" + (m_drover.directory() + QStringLiteral("/here")).toUtf8()
                   + "\"\nprograms = \"installed\"\ncredentials = \""
                   + (m_drover.directory() + QStringLiteral("/xdg_config_home/drover/credentials/default")).toUtf8()
                   + "\"\n[worker]\nslots = 2\nlisten = \"none\"\nallow_root = " + (::geteuid() == 0 ? "true" : "false")
                   + "\n[[host]]\nname = \"here\"\nssh = false\n");
        // No ssh is found, and drover is.
        const QString path = m_drover.directory() + QStringLiteral("/path");
        QDir().mkpath(path);
        for (const char *tool :
             {"sh", "head", "tr",  "mkdir",   "flock", "setsid", "sha256sum", "tar",  "sed",   "cut", "uname",
              "df", "awk",  "env", "dirname", "mv",    "rm",     "tail",      "grep", "sleep", "cat"})
            QVERIFY(QFile::link(QStringLiteral("/usr/bin/") + QLatin1String(tool), path + u'/' + QLatin1String(tool)));
        QVERIFY(QFile::link(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"),
                            path + QStringLiteral("/drover")));
        m_cluster.drover.setVariable("PATH", path);
        // What the user has told his commands is not for the worker.
        m_cluster.drover.setVariable("DROVER_CONNECT", QStringLiteral("127.0.0.1:1"));
        m_cluster.drover.setVariable("DROVER_CLUSTER", QStringLiteral("default"));
        m_cluster.drover.setVariable("DROVER_LISTEN", QStringLiteral("nonsense:"));
    }

    void toLookMakesNoFolder()
    {
        const Finished seen = launch("status", "json");
        QCOMPARE(json(seen)[u"hosts"][0][u"state"].toString(), QStringLiteral("stopped"));
        QVERIFY(!QDir(m_drover.directory() + QStringLiteral("/here")).exists());
    }

    void aWorkerStartsWithoutSshAndEachStepIsALine()
    {
        const Finished started = launch("start", "jsonl");
        QVERIFY2(started.exitCode == 0, started.out + started.err);
        QList<QJsonObject> lines = linesOf(started);
        QVERIFY2(lines.size() >= 4, started.out);
        QCOMPARE(lines.takeFirst()[u"state"].toString(), QStringLiteral("waiting"));
        for (const QJsonObject &line : lines) {
            QCOMPARE(line[u"host"].toString(), QStringLiteral("here"));
            const bool isLast = &line == &lines.last();
            QCOMPARE(line[u"state"].toString(), isLast ? QStringLiteral("running") : QStringLiteral("working"));
            QVERIFY2(isLast ? line[u"pid"].toInt() > 0 : !line[u"on"].toString().isEmpty(), started.out);
        }
        QCOMPARE(m_cluster.children(m_cluster.layout.members()), QByteArrayList{"here"});

        const Finished seen = launch("status", "json");
        QCOMPARE(json(seen)[u"hosts"][0][u"pid"], lines.last()[u"pid"]);
    }

    // The user's own commands are configured for another place, where nothing listens.
    void theFileSaysWhereItsWorkersAre()
    {
        QFile file(hostsFile());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString here = m_drover.directory() + QStringLiteral("/connect.toml");
        QFile copy(here);
        QVERIFY(copy.open(QIODevice::WriteOnly));
        copy.write("connect = \"" + m_cluster.server.connectString().toUtf8() + "\"\n" + file.readAll());
        copy.close();
        const Finished refused = launchWithout("restart --connect 127.0.0.1:1", here);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("--connect is 127.0.0.1:1"), refused.err);

        const QString own = m_drover.environment().value(QStringLiteral("XDG_CONFIG_HOME"));
        m_cluster.drover.setVariable("XDG_CONFIG_HOME", m_drover.directory() + QStringLiteral("/empty"));
        const auto mend = qScopeGuard([&] { m_cluster.drover.setVariable("XDG_CONFIG_HOME", own); });
        const Finished started = launchWithout("start --output json", here);
        QVERIFY2(started.exitCode == 0, started.out + started.err);
        QJsonObject row = json(started)[u"hosts"][0].toObject();
        QCOMPARE(row[u"state"].toString(), QStringLiteral("running"));
        QVERIFY2(!row.contains(u"trouble"), started.out);

        QVERIFY(copy.open(QIODevice::ReadOnly));
        const QByteArray edited = copy.readAll().replace("slots = 2", "slots = 4");
        copy.close();
        QVERIFY(copy.open(QIODevice::WriteOnly) && copy.write(edited) == edited.size());
        copy.close();
        for (const char *const verb : {"start", "status", "upgrade"}) {
            if (qstrcmp(verb, "upgrade") == 0) // a cordon needs more than a worker may
                m_cluster.drover.setVariable("XDG_CONFIG_HOME", own);
            const Finished told =
                launchWithout(qPrintable(QLatin1String(verb) + QStringLiteral(" --output json")), here);
            QVERIFY2(told.exitCode == 0, told.out + told.err);
            row = json(told)[u"hosts"][0].toObject();
            QCOMPARE(row[u"trouble"].toString(), QStringLiteral("its settings differ from %1: restart").arg(here));
        }
    }

    // As on a machine that has none of them: what the worker has mapped is of the tree, but for the C library.
    void aTreeNeedsNoLibraryOfItsMachine()
    {
        QFile file(hostsFile());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll()
                                    .replace("\"installed\"", "\"tree\"")
                                    .replace("/here\"", "/tree\"")
                                    .replace("name = \"here\"", "name = \"tree\"")
                                    .replace("slots = 2", "slots = 2\nlabels = [\"tree\"]");
        const QString tree = m_drover.directory() + QStringLiteral("/tree.toml");
        QFile copy(tree);
        QVERIFY(copy.open(QIODevice::WriteOnly) && copy.write(text) == text.size());
        copy.close();
        const QString own = m_drover.environment().value(QStringLiteral("PATH"));
        m_cluster.drover.setVariable("PATH", QStringLiteral("/usr/bin:/bin"));
        const auto mend = qScopeGuard([&] { m_cluster.drover.setVariable("PATH", own); });
        const QString connect = QStringLiteral(" --connect ") + m_cluster.server.connectString();
        const Finished started = launchWithout(qPrintable(QStringLiteral("start --output json") + connect), tree);
        QVERIFY2(started.exitCode == 0, started.out + started.err);

        const int pid = json(started)[u"hosts"][0][u"pid"].toInt();
        QFile maps(QStringLiteral("/proc/%1/maps").arg(pid));
        QVERIFY(maps.open(QIODevice::ReadOnly));
        QSet<QByteArray> ofTheMachine;
        for (const QByteArray &line : maps.readAll().split('\n')) {
            const QByteArray path = line.mid(std::max<qsizetype>(line.indexOf('/'), 0));
            if (path.contains(".so") && !path.startsWith(m_drover.directory().toUtf8() + "/tree/releases/"))
                ofTheMachine.insert(path.sliced(path.lastIndexOf('/') + 1));
        }
        ofTheMachine -= {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libresolv.so.2"};
        QVERIFY2(ofTheMachine.isEmpty(), ofTheMachine.values().join(' '));
        const QString asked = QStringLiteral("run --label tree%1 -- printenv LD_LIBRARY_PATH").arg(connect);
        const Finished ran = m_drover.run(words(asked));
        QVERIFY2(ran.exitCode == 1 && ran.out.isEmpty(), ran.out + ran.err); // jobs do not have it
        // A stop packs nothing: without ldd the libraries cannot be found.
        m_cluster.drover.setVariable("PATH", own);
        const Finished stopped = launchWithout(qPrintable(QStringLiteral("stop") + connect), tree);
        QVERIFY2(stopped.exitCode == 0, stopped.out + stopped.err);
    }

    // The worker's own advice is about its command line and its user's folder.
    void withoutCredentialsTheKeyOfTheFileIsNamed()
    {
        QFile file(hostsFile());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray text = file.readAll();
        const qsizetype begin = text.indexOf("credentials = ");
        text.remove(begin, text.indexOf('\n', begin) + 1 - begin);
        text.replace("/here\"", "/there\"").replace("name = \"here\"", "name = \"there\"");
        const QString there = m_drover.directory() + QStringLiteral("/there.toml");
        QFile copy(there);
        QVERIFY(copy.open(QIODevice::WriteOnly) && copy.write(text) == text.size());
        copy.close();
        const QString own = m_drover.environment().value(QStringLiteral("XDG_CONFIG_HOME"));
        m_cluster.drover.setVariable("XDG_CONFIG_HOME", m_drover.directory() + QStringLiteral("/empty"));
        const auto mend = qScopeGuard([&] { m_cluster.drover.setVariable("XDG_CONFIG_HOME", own); });
        const Finished failed =
            launchWithout(qPrintable(QStringLiteral("start --connect ") + m_cluster.server.connectString()), there);
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(failed.out.contains("drover worker add NAME") && failed.out.contains("key credentials"), failed.out);
        QVERIFY2(!failed.out.contains("--credentials"), failed.out);
    }

    // The worker runs, and its cluster cannot be asked.
    void aSilentZooKeeperFailsTheRowAlone()
    {
        m_cluster.server.pause();
        const Finished failed = launchWithout(
            qPrintable(QStringLiteral("start --connect-timeout 300ms --connect ") + m_cluster.server.connectString()),
            hostsFile());
        m_cluster.server.resume();
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(failed.out.contains("failed") && failed.out.contains("within 300ms"), failed.out);
    }

    // The session of the upgrade is not open yet when it is interrupted.
    void anUpgradeIsInterruptedWhileZooKeeperIsSilent()
    {
        const QString program = m_drover.directory() + QStringLiteral("/path/drover");
        const QString real = QFile::symLinkTarget(program);
        QVERIFY(QFile::remove(program) && QFile::copy(real, program));
        QFile copy(program);
        QVERIFY(copy.open(QIODevice::Append) && copy.write("other bytes") > 0);
        copy.close();
        m_cluster.server.pause();
        const auto resume = qScopeGuard([this] { m_cluster.server.resume(); });
        const std::unique_ptr<QProcess> upgrading =
            m_drover.start(words("launch") << m_drover.directory() + QStringLiteral("/hosts.toml")
                                           << words("upgrade --output jsonl --connect-timeout 10s --connect")
                                           << m_cluster.server.connectString());
        QByteArray seen;
        QVERIFY2(waitForOutput(*upgrading, "its way to ZooKeeper", seen), seen);
        sendSignal(*upgrading, SIGTERM);
        m_cluster.server.resume();
        QVERIFY(upgrading->waitForFinished(60'000));
        QCOMPARE(upgrading->exitCode(), 128 + SIGTERM);
        QCOMPARE(json(launch("status", "json"))[u"hosts"][0][u"state"].toString(), QStringLiteral("running"));
    }

    void stopsAndSaysWhyAWorkerCannotStart()
    {
        QVERIFY(QFile::remove(m_drover.directory() + QStringLiteral("/path/drover")));
        const Finished stopped = launch("stop", "jsonl"); // it needs none
        QVERIFY2(stopped.exitCode == 0, stopped.out + stopped.err);
        QCOMPARE(linesOf(stopped).last()[u"state"].toString(), QStringLiteral("stopped"));
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).isEmpty(), 30'000);

        const Finished failed = launch("start", "jsonl");
        QCOMPARE(failed.exitCode, 1);
        const QJsonObject last = linesOf(failed).last();
        QCOMPARE(last[u"state"].toString(), QStringLiteral("failed"));
        QVERIFY2(last[u"trouble"].toString().contains(u"drover is not installed here"), failed.out);
    }
};

QTEST_GUILESS_MAIN(HereTest)
#include "here_test.moc"
