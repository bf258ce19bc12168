#include "app/support/drover_on_server.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

// Each path that a job names, of each kind of file: the job ends and says why, nothing of others is written, and the
// worker goes on.
class HostilePathsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    QTemporaryDir m_place; // all users may write there

    QString at(const char *name) const { return m_place.filePath(QLatin1StringView(name)); }

    // A link that another user of the machine has made.
    void linkOfAnother(const char *name, const char *target) const
    {
        QVERIFY(QFile::link(at(target), at(name)));
        QCOMPARE(::lchown(qPrintable(at(name)), 65534, 65534), 0);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (::geteuid() != 0)
            QSKIP("only root can make links of other users");
        QCOMPARE(::chmod(qPrintable(m_place.path()), 01777), 0);
        QFile secret(at("secret"));
        QVERIFY(secret.open(QFile::WriteOnly) && secret.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        secret.write("kept\n");
        QVERIFY(QDir().mkdir(at("folder")));
        QCOMPARE(::mkfifo(qPrintable(at("fifo")), 0666), 0);
        linkOfAnother("link", "secret");
        linkOfAnother("folder-link", "folder");
        m_cluster.start({"default"});
        m_worker = m_cluster.drover.start(words("worker --slots 1"));
    }
    void cleanupTestCase() { m_cluster.stopWorker(m_worker); }

    void filesOfOthersStayUntouched_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("says");
        const auto row = [this](const char *option, const char *name, int exitCode, const char *says) {
            const QString path = *name == '/' ? QString::fromLatin1(name) : at(name);
            QTest::addRow("%s %s", option, name) << QString::fromLatin1(option) << path << exitCode << QByteArray(says);
        };
        for (const char *const option : {"--stdout", "--stderr"}) {
            row(option, "link", 126, "cannot write the file '%1': Permission denied");
            row(option, "folder-link/new", 126, "cannot write the file '%1': Permission denied");
            row(option, "fifo", 126, "cannot write the file '%1': it is neither a file nor a device");
            row(option, "folder", 126, "cannot write the file '%1': it is neither a file nor a device");
            row(option, "/dev/full", 0, "cannot write '%1': No space left on device");
            row(option, "/dev/null", 0, "");
        }
        row("--append-to", "link", 74, "its output was not appended to %1: ");
        row("--append-to", "folder-link/new", 74, "its output was not appended to %1: ");
        row("--append-to", "fifo", 74, "its output was not appended to %1: ");
        row("--append-to", "folder", 74, "its output was not appended to %1: ");
        row("--append-to", "/dev/full", 74, "its output was not appended to %1: ");
        // What a job may read as its user it may have as its input. A FIFO gave an empty one.
        row("--input", "link", 0, "");
        row("--input", "fifo", 2, "--input: %1 is neither a file nor a device");
        row("--input", "folder", 2, "--input: %1 is neither a file nor a device");
        row("--input", "/dev/full", 0, "");
        row("--dir", "link", 126, "cannot enter the directory '%1': Not a directory");
        row("--dir", "fifo", 126, "cannot enter the directory '%1': Not a directory");
        row("--dir", "/dev/full", 126, "cannot enter the directory '%1': Not a directory");
        row("--dir", "folder-link", 0, "");
    }
    void filesOfOthersStayUntouched()
    {
        QFETCH(QString, option);
        QFETCH(QString, path);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, says);
        const QStringList job{option,
                              path,
                              QStringLiteral("--"),
                              QStringLiteral("sh"),
                              QStringLiteral("-c"),
                              QStringLiteral("echo out; echo err >&2; head -c 1 > head 2> head.error; true")};
        const Finished finished = m_cluster.drover.run(words("run --time-limit 30s") + job);
        QVERIFY2(finished.exitCode == exitCode && finished.err.contains(says.replace("%1", path.toUtf8())),
                 QByteArray::number(finished.exitCode) + ' ' + finished.err);
        QFile secret(at("secret"));
        QVERIFY(secret.open(QFile::ReadOnly));
        QCOMPARE(secret.readAll(), QByteArray("kept\n"));
        QVERIFY(!QFile::exists(at("folder/new")));

        const Finished next = m_cluster.drover.run(words("run -- echo next"));
        QVERIFY2(next.exitCode == 0 && next.out == "next\n", next.err);
    }
};

QTEST_GUILESS_MAIN(HostilePathsTest)
#include "paths_test.moc"
