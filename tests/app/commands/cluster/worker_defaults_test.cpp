#include "app/support/drover_on_server.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QTest>

#include <unistd.h>

using namespace drover;
using namespace drover::test;

// What `drover worker --default KEY=VALUE` says, and what wins over it.
class WorkerDefaultsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;

    QString path(const char *name) const { return m_cluster.drover.directory() + u'/' + QLatin1String(name); }
    void write(const QByteArray &text) const
    {
        QFile file(path("worker.toml"));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size()
            || !file.setPermissions(QFile::ReadOwner | QFile::WriteOwner))
            qFatal("cannot write %s", qPrintable(file.fileName()));
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default"}); }

    // As the unit of systemd starts one: the file wins over what the unit says by --default, an option over both.
    void theFileWinsOverDefaults()
    {
        write("spool = \"" + path("spool-of-the-file").toUtf8() + "\"\nqueues = [\"of-the-file\"]\ngrace = \"5m\"\n"
              + (::geteuid() == 0 ? "allow_root = true\n" : ""));
        const std::unique_ptr<QProcess> worker = m_cluster.drover.start(
            words("worker --default spool=/nowhere --default grace=7m --default max_grace=45s --default slots=3 "
                  "--default queues=[\"other\",\"another\"] --max-grace 8m --policy")
            << path("worker.toml"));
        QByteArray said;
        const auto isReady = [&] { return (said += worker->readAllStandardError()).contains(": queues "); };
        QTRY_VERIFY2_WITH_TIMEOUT(isReady(), said, 30'000);
        QVERIFY2(said.contains(": queues of-the-file"), said);
        QVERIFY(QFileInfo(path("spool-of-the-file") + QStringLiteral("/runs")).isDir());
        const QByteArray shown = m_cluster.drover.run(words("worker ls -o json")).out;
        QVERIFY2(shown.contains("\"slots\": 3") || shown.contains("\"slots\":3"), shown);
        const std::unique_ptr<QProcess> job = m_cluster.drover.start(words("run --queue of-the-file -- sleep 1000"));
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.drover.run(words("ls")).out.contains("running"), 30'000);
        worker->terminate();
        const auto isStopping = [&] { return (said += worker->readAllStandardError()).contains("stopping, "); };
        QTRY_VERIFY2_WITH_TIMEOUT(isStopping(), said, 30'000);
        QVERIFY2(said.contains("stopping, 5m00s for the jobs"), said);
        worker->terminate(); // its jobs end at once
        QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
        job->kill();
        job->waitForFinished();
    }

    void whatADefaultSaysIsChecked_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("complaint");
        const auto row = [](const char *text, const char *complaint) {
            QTest::newRow(text) << QString::fromUtf8(text) << QByteArray(complaint);
        };
        row("grace", "--default: \"grace\" is not KEY=VALUE");
        row("=30s", "--default: \"=30s\" is not KEY=VALUE");
        row("grac=30s", "--default: unknown key \"grac\"; did you mean grace");
        row("grace=soon", "--default: grace: \"soon\"");
        row("slots=many", "--default: slots has to be");
        row("spool=here", "--default: spool is \"here\"");
        row("grace=\"1s\"\nslots=3", "--default: grace has more than one line");
        row("connect=zk1", "--default: connect is for all commands");
    }
    void whatADefaultSaysIsChecked()
    {
        QFETCH(QString, text);
        QFETCH(QByteArray, complaint);
        write("");
        for (const char *const command : {"worker --policy", "config check"}) {
            const Finished refused =
                m_cluster.drover.run(words(command) << path("worker.toml") << QStringLiteral("--default") << text);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains(complaint), refused.err);
        }
    }

    void aCheckSaysWhichDefaultsHold()
    {
        write("grace = \"5m\"\n");
        const Finished checked = m_cluster.drover.run(
            words("config check --default grace=30s --default max-grace=soon --default max_grace=45s -o json")
            << path("worker.toml"));
        QCOMPARE(checked.exitCode, 0);
        QHash<QString, QString> sources;
        QHash<QString, QString> values;
        for (const QJsonValue row : json(checked)[u"keys"].toArray()) {
            sources[row[u"key"].toString()] = row[u"source"].toString();
            values[row[u"key"].toString()] = row[u"value"].toString();
        }
        QVERIFY(sources[QStringLiteral("grace")].endsWith(u"worker.toml:1"));
        QCOMPARE(values[QStringLiteral("grace")], QStringLiteral("'5m'"));
        QCOMPARE(sources[QStringLiteral("max_grace")], QStringLiteral("--default"));
        QCOMPARE(values[QStringLiteral("max_grace")], QStringLiteral("'45s'"));
    }
};

QTEST_GUILESS_MAIN(WorkerDefaultsTest)
#include "worker_defaults_test.moc"
