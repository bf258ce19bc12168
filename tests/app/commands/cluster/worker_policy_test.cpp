#include "app/support/drover_on_server.h"
#include "app/worker/worker_keys.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

// What the owner of a machine lets the jobs of a worker do there: its policy file.
class WorkerPolicyTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    QString path(const char *name) const { return m_drover.directory() + u'/' + QLatin1String(name); }

    void write(const QString &file, const QByteArray &text) const
    {
        QDir().mkpath(QFileInfo(file).path());
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
        out.write(text);
        out.close();
        QVERIFY(out.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }

    Finished refusedWorker(const QByteArray &policy) const
    {
        write(path("worker.toml"), policy);
        return m_drover.run(words("worker --connect-timeout 1s --policy") << path("worker.toml"));
    }

    void startWorker(const QByteArray &policy, const QString &options = {})
    {
        write(path("worker.toml"), policy + (::geteuid() == 0 ? "allow_root = true\n" : ""));
        m_worker =
            m_drover.start(words("worker --policy") << path("worker.toml") << options.split(u' ', Qt::SkipEmptyParts));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    // Beside another.
    void startWorkerBeside(const QByteArray &policy)
    {
        const qsizetype before = m_cluster.children(m_cluster.layout.members()).size();
        write(path("worker.toml"), policy + (::geteuid() == 0 ? "allow_root = true\n" : ""));
        m_worker = m_drover.start(words("worker --policy") << path("worker.toml"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), before + 1, 30'000);
    }

    // Empty: it has succeeded.
    QByteArray whyFails(const QString &job) const
    {
        const Finished finished = m_drover.run(words("run") + job.split(u' '));
        return finished.exitCode == 0 ? QByteArray() : QByteArray::number(finished.exitCode) + ' ' + finished.err;
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default", "other"}); }

    void cleanup() { m_cluster.stopWorker(m_worker); }

    // Each example of the sample is a line of its own; only what a machine has to have is replaced.
    void theSampleIsAcceptedAndNamesEveryKey()
    {
        QFile sample(QStringLiteral(DROVER_SOURCE_DIR "/packaging/worker.toml"));
        QVERIFY(sample.open(QIODevice::ReadOnly));
        QString text = QString::fromUtf8(sample.readAll());
        text.replace(QRegularExpression(QStringLiteral("^#(?=[a-z_]+ = )"), QRegularExpression::MultilineOption), {});
        QStringList named;
        const QRegularExpression key(QStringLiteral("^([a-z_]+) = "), QRegularExpression::MultilineOption);
        for (auto keys = key.globalMatch(text); keys.hasNext();)
            named.append(keys.next().captured(1));
        named.sort();
        QStringList known = app::workerKeyNames();
        known.sort();
        QCOMPARE(named, known);

        QDir().mkpath(path("bin"));
        for (const char *const place : {"/opt/tools/bin", "/usr/bin/rsync", "/srv/results", "/etc/drover/secrets"})
            text.replace(QLatin1String(place), path("bin"));
        text.replace(QStringLiteral("/etc/drover/credentials/of-jobs"), path("sample.toml"));
        const QString user = QString::fromLocal8Bit(::getpwuid(65534)->pw_name);
        text.replace(QStringLiteral("\"alice\", \"bob\""), QStringLiteral("\"%1\"").arg(user));
        text.replace(QStringLiteral("nightly"), user);
        write(path("sample.toml"), text.toUtf8());
        const app::WorkerPolicy::Checked checked = app::WorkerPolicy::check(path("sample.toml"));
        QStringList wrong = checked.wrong;
        if (::geteuid() != 0) // the worker would be no other user
            wrong.removeIf([](const QString &line) { return line.contains(u": default_user is"); });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u' ')));
        QCOMPARE(QStringList(checked.said.keys()), known);
        QCOMPARE(checked.policy.id, QStringLiteral("build-7"));
        QCOMPARE(checked.policy.labels, QStringList({QStringLiteral("gpu"), QStringLiteral("ssd")}));
        QCOMPARE(checked.policy.spoolLimits.reserve, std::optional<qint64>(500 << 20));
    }

    // Each option of the program that a file can say has a key of its name; lists have it in the plural.
    void everyOptionHasAKey()
    {
        const Finished help = m_drover.run(words("worker --help"));
        const QString own = QString::fromUtf8(help.out).section(QStringLiteral("ptions of every command"), 0, 0);
        const QRegularExpression name(QStringLiteral("^ +(?:-[a-z], )?--([a-z-]+)"),
                                      QRegularExpression::MultilineOption);
        QStringList options;
        for (auto all = name.globalMatch(own); all.hasNext();)
            options.append(all.next().captured(1).replace(u'-', u'_'));
        QVERIFY2(options.size() > 15, help.out);
        for (const QString &one : options) {
            if (one == u"policy" || one == u"default" || one == u"help")
                continue;
            const QStringList known = app::workerKeyNames();
            QVERIFY2(known.contains(one) || known.contains(one + u's'), qPrintable(one));
        }
    }

    void thePolicySetsWhatOptionsSet()
    {
        const QByteArray spool = path("its-spool").toUtf8();
        startWorker("id = \"mine\"\nlabels = [\"gpu\", \"ssd\"]\nspool = \"" + spool
                    + "\"\nspool-keep = \"1h\"\nlisten = \"none\"\numask = \"027\"\n");
        QCOMPARE(m_cluster.children(m_cluster.layout.members()), QByteArrayList{"mine"});
        const QJsonObject info = m_cluster.json(m_cluster.layout.members() / "mine");
        QCOMPARE(info.value(u"labels").toVariant().toStringList(),
                 QStringList({QStringLiteral("gpu"), QStringLiteral("ssd")}));
        QVERIFY(!info.contains(u"endpoint") || info.value(u"endpoint").toString().isEmpty());
        QCOMPARE(m_drover.run(words("run --label ssd -- sh -c umask")).out.trimmed(), QByteArray("0027"));
        QVERIFY(QFile::exists(path("its-spool/runs")));
    }

    // The spool keeps it; a second worker of the same spool has another.
    void anIdThatIsNotGivenStays()
    {
        const auto ids = [this] { return m_cluster.children(m_cluster.layout.members()); };
        startWorker("slots = 1\n");
        const QByteArray first = ids().value(0);
        const std::unique_ptr<QProcess> second = m_drover.start(words("worker --policy") << path("worker.toml"));
        QTRY_COMPARE_WITH_TIMEOUT(ids().size(), 2, 30'000);
        m_worker->terminate();
        QCOMPARE(DroverProgram::finish(*m_worker).exitCode, 0);
        startWorkerBeside("slots = 1\n");
        QVERIFY2(ids().contains(first), ids().join(' '));
        second->terminate();
        QCOMPARE(DroverProgram::finish(*second).exitCode, 0);
    }

    void optionsOverrideIt_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<int>("slots_");
        QTest::newRow("it says how many slots") << QString() << 3;
        QTest::newRow("the option does") << QStringLiteral("--slots 2") << 2;
    }
    void optionsOverrideIt()
    {
        QFETCH(QString, options);
        QFETCH(int, slots_);
        startWorker("queues = [\"other\"]\nslots = 3\nmemory = \"300M\"\nmax_output = \"64K\"\n", options);
        const QByteArray member = m_cluster.children(m_cluster.layout.members()).first();
        const QJsonObject info = m_cluster.json(m_cluster.layout.members() / member);
        QCOMPARE(info.value(u"slots").toInt(), slots_);
        QCOMPARE(info.value(u"memory").toInteger(), 300 << 20);
        QCOMPARE(info.value(u"queues").toVariant().toStringList(), QStringList(QStringLiteral("other")));
    }

    void eachErrorOfAPolicyIsOneLine_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::addColumn<QByteArray>("complaint");
        const auto row = [](const char *name, const QByteArray &policy, const char *complaint) {
            QTest::newRow(name) << policy << QByteArray(complaint);
        };
        row("no TOML", "slots = 1\nqueues = [", ":2: ");
        row("an unknown key", "# mine\nslot = 3\n", ":2: unknown key \"slot\"; did you mean slots");
        row("a text for a number", "slots = \"3\"\n", ":1: slots has to be a whole number from 1 to 10000");
        row("too many", "slots = 10001\n", ":1: slots has to be a whole number");
        row("a number for a duration", "max_grace = 5\n", ":1: max_grace has to be a string in quotes");
        row("no size", "max_output = \"much\"\n", ":1: max_output: \"much\"");
        row("hardly any memory", "max_memory = \"1K\"\n", ":1: max_memory: \"1K\"");
        row("no list", "programs = \"/usr/bin\"\n", ":1: programs has to be a list of strings");
        row("an empty list", "queues = []\n", ":1: queues has to be a list of strings");
        row("a list of numbers", "queues = [1]\n", ":1: queues has to be a list of strings");
        row("no name of a queue", "queues = [\"a/b\"]\n", ":1: queues: \"a/b\"");
        row("twice", "spool_keep = \"1d\"\nspool-keep = \"1d\"\n", ":2: spool-keep is there twice");
        row("a relative spool", "spool = \"here\"\n", ":1: spool is \"here\", which has to be an absolute path");
        row("no label", "labels = [\"a b\"]\n", ":1: labels: \"a b\" is not a valid label");
        row("no mask", "umask = \"999\"\n", ":1: umask: \"999\" is not a valid mask");
        row("too short", "session_timeout = \"1ms\"\n", ":1: session_timeout: \"1ms\" is too short");
        row("no address", "listen = \"a/b\"\n", ":1: listen: ");
        row("no host", "advertise = \"a b\"\n", ":1: advertise is \"a b\", which is not HOST[:PORT]");
        row("no history", "history = \"ftp://x\"\n", ":1: history cannot be used: ");
        row("another file's", "connect = \"zk1\"\n",
            ":1: connect is for all commands of this machine; it belongs into ");
        row("no flag", "allow_root = 1\n", ":1: allow_root has to be true or false");
        row("no absolute path", "programs = [\"bin\"]\n", ":1: programs names \"bin\"");
        row("no such path", "programs = [\"/nowhere/bin\"]\n", ":1: programs names \"/nowhere/bin\"");
        row("no directory", "output_directories = [\"/etc/passwd\"]\n", ":1: output_directories names \"/etc/passwd\"");
        row("everywhere", "output_directories = [\"/\"]\n", ":1: output_directories names \"/\"");
        if (::geteuid() != 0)
            return;
        row("root", "run_as = [\"root\"]\n", ":1: run_as is refused: no job may run as root");
        row("a service", "run_as = [\"daemon\"]\n", ":1: run_as is refused: no job may run as daemon");
        row("root for all", "default_user = \"root\"\n", ":1: default_user is refused: no job may run as root");
        row("a stranger", "run_as = [\"no-such-user\"]\n", ":1: run_as is refused: there is no user no-such-user");
    }
    void eachErrorOfAPolicyIsOneLine()
    {
        QFETCH(QByteArray, policy);
        QFETCH(QByteArray, complaint);
        const Finished refused = refusedWorker(policy);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("worker.toml" + complaint), refused.err);
    }

    void aCheckNamesAllThatIsWrong()
    {
        write(path("checked.toml"), "slot = 3\nlabels = [\"gpu\"]\ngrace = \"soon\"\n\nspool = \"here\"\n");
        const Finished wrong = m_drover.run(words("config check --connect 127.0.0.1:1") << path("checked.toml"));
        QCOMPARE(wrong.exitCode, 2);
        QCOMPARE(wrong.out, QByteArray());
        const QByteArrayList lines = wrong.err.trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[0].contains("checked.toml:1: unknown key \"slot\"; did you mean slots"), lines[0]);
        QVERIFY2(lines[1].contains("checked.toml:3: grace: \"soon\""), lines[1]);
        QVERIFY2(lines[2].contains("checked.toml:5: spool is \"here\""), lines[2]);
        const QJsonObject told = json(m_drover.run(words("config check -o json") << path("checked.toml")));
        QCOMPARE(told[u"wrong"].toArray().size(), 3);
        QCOMPARE(m_drover.run(words("config check /nonexistent/worker.toml")).exitCode, 2);
    }

    // As a worker judges it that is started with the file, which --policy names as well.
    void aCheckRefusesWhatAWorkerWould_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::newRow("a spool in no file system for files") << QByteArray("\nspool = \"/proc/x\"\n");
        QTest::newRow("a spool below a file") << QByteArray("\nspool = \"/etc/passwd/x\"\n");
        QTest::newRow("credentials that are not there") << QByteArray("\njob_credentials = \"/nope\"\n");
    }
    void aCheckRefusesWhatAWorkerWould()
    {
        QFETCH(QByteArray, policy);
        QVERIFY(refusedWorker(policy + (::geteuid() == 0 ? "allow_root = true\n" : "")).exitCode != 0);
        const Finished checked = m_drover.run(words("config check --policy") << path("worker.toml"));
        QCOMPARE(checked.exitCode, 2);
        QVERIFY2(checked.complainsOnce() && checked.err.contains("worker.toml:2: "), checked.err);
        QCOMPARE(m_drover.run(words("config check --policy a b")).exitCode, 2);
    }

    void aCheckSaysThatItHasReadNoFile()
    {
        if (QFile::exists(QStringLiteral("/etc/drover/worker.toml")))
            QSKIP("this machine has a worker's file");
        const Finished checked = m_drover.run(words("config check"));
        QCOMPARE(checked.exitCode, 0);
        QVERIFY2(checked.complainsOnce() && checked.err.contains("no file was read"), checked.err);
    }

    void aCheckSaysWhatHoldsAndWhereItComesFrom()
    {
        write(path("checked.toml"), "labels = [\"gpu\"]\nspool-keep = \"1h\"\nhistory = \"none\"\n");
        write(path("config.toml"), "listen = \"*:7117\"\nhistory = \"/var/h.sqlite\"\n");
        const Finished checked = m_drover.run(words("config check --connect 127.0.0.1:1 -o json --config")
                                              << path("config.toml") << path("checked.toml"));
        QVERIFY2(checked.exitCode == 0, checked.err);
        QMap<QString, QStringList> rows;
        for (const QJsonValue &row : json(checked)[u"keys"].toArray())
            rows[row[u"key"].toString()] = {row[u"value"].toString(), row[u"source"].toString()};
        QCOMPARE(rows.size(), app::workerKeys().size());
        QCOMPARE(rows[QStringLiteral("spool_keep")].value(1), path("checked.toml:2"));
        QVERIFY(rows[QStringLiteral("labels")].value(0).contains(u"gpu"));
        QCOMPARE(rows[QStringLiteral("grace")], QStringList({QStringLiteral("10s"), QStringLiteral("default")}));
        QCOMPARE(rows[QStringLiteral("listen")], QStringList({QStringLiteral("*:7117"), path("config.toml:1")}));
        QCOMPARE(rows[QStringLiteral("history")].value(1), path("checked.toml:3"));
    }

    void aPolicyThatOthersMayWriteIsRefused()
    {
        write(path("open.toml"), "slots = 1\n");
        QCOMPARE(::chmod(qPrintable(path("open.toml")), 0666), 0);
        const Finished refused = m_drover.run(words("worker --policy") << path("open.toml"));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("others may write"), refused.err);
    }

    // By the file that is executed, whatever leads to it.
    void onlyTheProgramsThatItNamesRun()
    {
        QDir().mkpath(path("bin"));
        write(path("bin/script"), "#!/bin/sh\necho script\n");
        QCOMPARE(::chmod(qPrintable(path("bin/script")), 0755), 0);
        QVERIFY(QFile::link(QStringLiteral("/usr/bin/cat"), path("bin/echo")));
        QVERIFY(QFile::link(QStringLiteral("/usr/bin/echo"), path("print")));
        startWorker("programs = [\"/usr/bin/echo\", \"" + path("bin").toUtf8() + "\"]\n");
        QCOMPARE(whyFails(QStringLiteral("-- echo text")), QByteArray());
        QCOMPARE(whyFails(QStringLiteral("-- %1 text").arg(path("print"))), QByteArray());
        QCOMPARE(whyFails(QStringLiteral("-- %1").arg(path("bin/script"))), QByteArray());
        for (const QString &other : {QStringLiteral("cat"), path("bin/echo"), path("bin/../../../../usr/bin/cat"),
                                     QStringLiteral("/usr/bin/echo2")}) {
            const QByteArray why = whyFails(QStringLiteral("-- %1 /dev/null").arg(other));
            QVERIFY2(why.startsWith(other.endsWith(u'2') ? "127 " : "125 "), why);
            QVERIFY2(why.contains("refused: this worker does not allow the program") || other.endsWith(u'2'), why);
        }
        const QByteArray preload = whyFails(QStringLiteral("--env LD_PRELOAD=/nowhere -- echo text"));
        QVERIFY2(preload.startsWith("125 ") && preload.contains("refused: "), preload);

        write(path("bin/shell"), "#!/bin/bash\necho script\n"); // it reads BASH_ENV before its first line
        QCOMPARE(::chmod(qPrintable(path("bin/shell")), 0755), 0);
        write(path("evil"), "echo evil >" + path("done").toUtf8() + "\n");
        QCOMPARE(whyFails(QStringLiteral("-- %1").arg(path("bin/shell"))), QByteArray());
        const QByteArray shell =
            whyFails(QStringLiteral("--env BASH_ENV=%1 -- %2").arg(path("evil"), path("bin/shell")));
        QVERIFY2(shell.startsWith("125 ") && shell.contains("BASH_ENV"), shell);
        QVERIFY(!QFile::exists(path("done")));
    }

    void outputGoesOnlyBelowTheDirectoriesThatItNames()
    {
        QDir().mkpath(path("out/there"));
        QDir().mkpath(path("elsewhere"));
        QVERIFY(QFile::link(path("elsewhere"), path("out/link")));
        QVERIFY(QFile::link(path("elsewhere/file"), path("out/file-link")));
        startWorker("output_directories = [\"" + path("out").toUtf8() + "\"]\n");
        const auto copyTo = [&](const QString &file) {
            return whyFails(QStringLiteral("--stdout %1 -- echo text").arg(file));
        };
        for (const char *const file : {"out/one", "out/there/two", "out/made/here/three"}) {
            QCOMPARE(copyTo(path(file)), QByteArray());
            QVERIFY(QFile::exists(path(file)));
        }
        for (const char *const file : {"elsewhere/file", "out/link/file", "out/file-link", "outside"}) {
            const QByteArray why = copyTo(path(file));
            QVERIFY2(why.startsWith("125 ") && why.contains("refused: this worker does not allow the file"), why);
        }
        QVERIFY(!QFile::exists(path("elsewhere/file")) && !QFile::exists(path("outside")));

        const auto appendTo = [&](const char *file) {
            return whyFails(QStringLiteral("--append-to %1 -- echo text").arg(path(file)));
        };
        QCOMPARE(appendTo("out/shared"), QByteArray());
        QVERIFY(appendTo("elsewhere/shared").contains("refused: this worker does not allow the file"));
        const QByteArray linked = appendTo("out/link/shared");
        QVERIFY2(linked.startsWith("74 ") && linked.contains("which this worker does not allow"), linked);
        QVERIFY(!QFile::exists(path("elsewhere/shared")));
    }

    // Like one whose signature is wrong; no retry could change it.
    void aRefusedJobIsRecordedLoggedAndCounted()
    {
        startWorker("programs = [\"/usr/bin/echo\"]\n");
        const QString id = QString::fromUtf8(m_drover.run(words("submit --retries 3 -- cat")).out.trimmed());
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 125);
        const QJsonObject job = json(m_drover.run(words("show -o json") << id));
        QCOMPARE(job[u"outcome"].toString(), QStringLiteral("refused"));
        QVERIFY2(job[u"reason"].toString().startsWith(u"this worker does not allow the program"),
                 qPrintable(job[u"reason"].toString()));
        QCOMPARE(job[u"attempt"].toInt(), 1);
        const QByteArray listed = m_drover.run(words("ls --all -o json --state failed")).out;
        QVERIFY2(listed.contains("\"refused\""), listed);
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("doctor")).out.contains("has refused 1 job"), 30'000);
        m_worker->terminate();
        QVERIFY(m_worker->waitForFinished());
        const QByteArray log = m_worker->readAllStandardError();
        QVERIFY2(log.contains(id.toUtf8() + " is refused: this worker does not allow the program"), log);
    }

    // A flood of such jobs does not keep the worker from running others.
    void refusedJobsAreNoTroubleOfTheMachine()
    {
        startWorker("programs = [\"/usr/bin/echo\"]\n");
        for (const char *const program : {"cat", "ls", "id", "head", "tail", "sort"})
            QVERIFY(!whyFails(QStringLiteral("-- ") + QLatin1String(program)).isEmpty());
        const Finished workers = m_drover.run(words("worker ls -o json"));
        QVERIFY2(!workers.out.contains("trouble"), workers.out);
    }
};

QTEST_GUILESS_MAIN(WorkerPolicyTest)
#include "worker_policy_test.moc"
