#include "app/support/drover_program.h"
#include "support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QScopeGuard>
#include <QTest>

#include <csignal>

#include <sys/mount.h>
#include <sys/stat.h>

using namespace drover::test;

// Appending to shared files as a user does it, on a cluster of this machine.
class AppendTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;

    QString path(const char *name) const { return m_drover.directory() + u'/' + QLatin1String(name); }
    QByteArray content(const char *name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no file)");
    }
    void write(const char *name, const QByteArray &bytes) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Append) && file.write(bytes) == bytes.size());
    }

    Finished append(const char *arguments, const QByteArray &input) const
    {
        const std::unique_ptr<QProcess> process = m_drover.start(words("append") + words(arguments));
        process->write(input);
        process->closeWriteChannel();
        return DroverProgram::finish(*process);
    }

    // `append` reads from a duplicate of its standard input.
    static bool takesInput(qint64 pid)
    {
        const QString files = QStringLiteral("/proc/%1/fd/").arg(pid);
        const QString input = QFile::symLinkTarget(files + u'0');
        int same = 0;
        for (const QString &file : QDir(files).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot))
            same += QFile::symLinkTarget(files + file) == input;
        return !input.isEmpty() && same > 1;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished up = m_drover.run(words("up --detach --workers 2 --slots 2 -o json"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
    }
    void cleanupTestCase() { QCOMPARE(m_drover.run(words("down")).exitCode, 0); }

    void appendsInputOnce()
    {
        QCOMPARE(append("report", "one\n").exitCode, 0);
        const Finished keyed = append("--key K -o json report", "two\n");
        QVERIFY2(keyed.exitCode == 0, keyed.err);
        QCOMPARE(json(keyed).value(u"offset").toInt(-1), 4);
        QCOMPARE(json(keyed).value(u"already").toBool(true), false);
        const Finished again = append("--key K -o json report", "two\n");
        QCOMPARE(again.exitCode, 0);
        QCOMPARE(json(again).value(u"already").toBool(false), true);
        const Finished other = append("--key K report", "other\n");
        QCOMPARE(other.exitCode, 4);
        QVERIFY2(other.complainsOnce() && other.err.contains("other bytes"), other.err);
        QCOMPARE(append("report", "one\n").exitCode, 0); // no key: a record of its own
        QCOMPARE(content("report"), QByteArray("one\ntwo\none\n"));
    }

    void appendsALongInput()
    {
        const QByteArray bytes(5'000'000, 'l');
        QCOMPARE(append("long", "head\n").exitCode, 0);
        QCOMPARE(append("long", bytes).exitCode, 0);
        QCOMPARE(content("long"), "head\n" + bytes);
        QCOMPARE(m_drover.run(words("files verify long")).exitCode, 0);
    }

    void aSignalEndsTheWaitForInput()
    {
        // Nothing is read yet, a record that fits the ledger, one that is in a spool by now.
        for (const qsizetype length : {0, 5, 5'000'000}) {
            for (const int signal : {SIGINT, SIGTERM}) {
                const std::unique_ptr<QProcess> process = m_drover.start(words("append waiting"));
                process->write(QByteArray(length, 'x'));
                QTRY_VERIFY_WITH_TIMEOUT(process->bytesToWrite() == 0 && takesInput(process->processId()), 30'000);
                sendSignal(*process, signal);
                QCOMPARE(DroverProgram::finish(*process, 20'000).exitCode, 128 + signal);
            }
        }
        QCOMPARE(content("waiting"), QByteArray("(no file)"));
        QVERIFY(QDir(path(".waiting.drover")).entryList({QStringLiteral("spool-*")}).isEmpty());
    }

    void concurrentAppendsAreWhole()
    {
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 8; ++i) {
            processes.push_back(m_drover.start(words("append many")));
            processes.back()->write(QByteArray(1000, static_cast<char>('a' + i)) + '\n');
            processes.back()->closeWriteChannel();
        }
        for (const auto &process : processes)
            QCOMPARE(DroverProgram::finish(*process).exitCode, 0);
        QByteArrayList lines = content("many").trimmed().split('\n');
        QCOMPARE(lines.size(), 8);
        std::sort(lines.begin(), lines.end());
        for (int i = 0; i < 8; ++i)
            QCOMPARE(lines[i], QByteArray(1000, static_cast<char>('a' + i)));
    }

    void showsFiles()
    {
        QCOMPARE(append("shown", "12345\n").exitCode, 0);
        const QJsonArray files = json(m_drover.run(words("files ls -o json"))).value(u"files").toArray();
        const QString canonical = QFileInfo(path("shown")).canonicalFilePath();
        QVERIFY(std::any_of(files.begin(), files.end(),
                            [&](const QJsonValue &file) { return file[u"file"].toString() == canonical; }));
        const Finished shown = m_drover.run(words("files show shown -o json"));
        QCOMPARE(json(shown).value(u"records").toInt(), 1);
        QCOMPARE(json(shown).value(u"committed_bytes").toInt(), 6);
        QVERIFY(QFile::exists(json(shown).value(u"log").toString()));
        for (const char *const command : {"files show", "files verify", "files forget"}) {
            const Finished missing = m_drover.run(words(command) + QStringList(QStringLiteral("none")));
            QCOMPARE(missing.exitCode, 3);
            QVERIFY2(missing.complainsOnce(), missing.err);
        }
    }

    void refusesAndForgets()
    {
        QCOMPARE(append("--key 1 foreign", "one\n").exitCode, 0);
        QCOMPARE(m_drover.run(words("files verify foreign")).exitCode, 0);
        write("foreign", "by hand\n");
        const Finished verified = m_drover.run(words("files verify foreign"));
        QCOMPARE(verified.exitCode, 4);
        QVERIFY2(verified.complainsOnce(), verified.err);
        const Finished refused = append("foreign", "two\n");
        QCOMPARE(refused.exitCode, 4);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("drover files forget"), refused.err);
        QCOMPARE(content("foreign"), QByteArray("one\nby hand\n"));
        QCOMPARE(m_drover.run(words("files forget foreign")).exitCode, 0);
        QCOMPARE(append("foreign", "two\n").exitCode, 0);
        QCOMPARE(content("foreign"), QByteArray("one\nby hand\ntwo\n"));
        QCOMPARE(m_drover.run(words("files verify foreign")).exitCode, 0);
    }

    void wrongUse()
    {
        QCOMPARE(append("no/such/folder/x", "x").exitCode, 1);
        const Finished key =
            m_drover.run({QStringLiteral("append"), QStringLiteral("--key"), QString(300, u'k'), QStringLiteral("x")});
        QCOMPARE(key.exitCode, 2);
        QVERIFY2(key.complainsOnce(), key.err);
        QVERIFY(!QFile::exists(path("x")));
        QVERIFY(m_drover.run(words("append --help")).out.contains("What stays impossible"));
    }

    void jobsAppendTheirOutputWhenTheySucceed()
    {
        constexpr int Jobs = 6;
        QStringList ids;
        for (int i = 0; i < Jobs; ++i) {
            const Finished submitted = m_drover.run(words("submit --append-to jobs -- sh -c")
                                                    + QStringList(QStringLiteral("echo begin %1; echo end %1").arg(i)));
            QVERIFY2(submitted.exitCode == 0, submitted.err);
            ids.append(QString::fromUtf8(submitted.out.trimmed()));
        }
        QCOMPARE(m_drover.run(words("submit --wait --append-to jobs -- sh -c") << QStringLiteral("echo no; exit 3"))
                     .exitCode,
                 3);
        QCOMPARE(m_drover.run(words("wait") + ids).exitCode, 0);
        const QByteArray report = content("jobs");
        QByteArray rest = report;
        for (int i = 0; i < Jobs; ++i) {
            const QByteArray number = QByteArray::number(i);
            const QByteArray record = "begin " + number + "\nend " + number + '\n';
            QCOMPARE(report.count(record), 1);
            rest.remove(rest.indexOf(record), record.size());
        }
        QVERIFY(rest.isEmpty());
        // The key is the job's id: by hand it adds nothing.
        const Finished byHand =
            append(qPrintable(QStringLiteral("-o json --key %1 jobs").arg(ids[0])), "begin 0\nend 0\n");
        QCOMPARE(json(byHand).value(u"already").toBool(false), true);
        QCOMPARE(m_drover.run(words("files verify jobs")).exitCode, 0);
    }

    void aJobWhoseOutputCannotBeAppendedHasFailed()
    {
        const Finished submitted = m_drover.run(words("submit --append-to no/such/folder/x -- echo lost"));
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 74);
        const Finished shown = m_drover.run({QStringLiteral("show"), id, QStringLiteral("-o"), QStringLiteral("json")});
        const QString reason = json(shown).value(u"reason").toString();
        QVERIFY2(reason.contains(QStringLiteral("drover append --key ") + id), qPrintable(reason));
        QCOMPARE(m_drover.run({QStringLiteral("logs"), id}).out, QByteArray("lost\n"));
    }

    // A FIFO left its folder behind.
    void onlyRegularFilesAreAppendedTo()
    {
        const Finished nameless = m_drover.run({QStringLiteral("append"), QString()});
        QVERIFY2(nameless.exitCode == 2 && nameless.complainsOnce() && nameless.err.contains("is empty"), nameless.err);
        QCOMPARE(::mkfifo(QFile::encodeName(path("fifo")).constData(), 0600), 0);
        QVERIFY(append("fifo", QByteArray(10'000, 'x')).complainsOnce());
        QVERIFY(!QFileInfo::exists(path(".fifo.drover")));
    }

    void anAppendThatFailsRunsNothingAgain()
    {
        const Finished submitted =
            m_drover.run(words("submit --retries 2 --backoff 10ms --append-to no/such/folder/x -- sh -c")
                         << QStringLiteral("echo ran >> '%1'; echo out").arg(path("runs")));
        QVERIFY2(submitted.exitCode == 0, submitted.err);
        QCOMPARE(m_drover.run(words("wait") << QString::fromUtf8(submitted.out.trimmed())).exitCode, 74);
        QCOMPARE(content("runs"), QByteArray("ran\n"));
    }

    // Nor is it advised to append it by hand.
    void outputThatIsNotWholeIsNotAppended()
    {
        const Finished submitted = m_drover.run(words("submit --output-limit 1K --append-to cut -- seq 1 5000"));
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 74);
        const Finished shown = m_drover.run({QStringLiteral("show"), id, QStringLiteral("-o"), QStringLiteral("json")});
        const QString reason = json(shown).value(u"reason").toString();
        QVERIFY2(reason.contains(u"--output-limit") && !reason.contains(u"drover append"), qPrintable(reason));
        QVERIFY(!QFile::exists(path("cut")));
    }

    // A job whose output is reserved has not failed: the next process that appends writes this output first.
    void outputWaitsWhileTheStorageIsFull()
    {
        QVERIFY(QDir().mkdir(path("small")));
        const QByteArray small = QFile::encodeName(path("small"));
        if (::mount("none", small.constData(), "tmpfs", 0, "size=64k") != 0)
            QSKIP("only root mounts a small storage");
        const auto unmount = qScopeGuard([&] { ::umount2(small.constData(), MNT_DETACH); });
        const QByteArray page(4096, 'p'); // what follows needs another
        QCOMPARE(append("small/report", page).exitCode, 0);
        QFile filler(path("small/filler"));
        QVERIFY(filler.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        while (filler.write(page) == page.size()) { }
        const Finished submitted = m_drover.run(words("submit --append-to small/report -- echo two"));
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        const auto waitsFor = [&] {
            return json(m_drover.run({u"show"_qs, id, u"-o"_qs, u"json"_qs})).value(u"waits_for");
        };
        QTRY_VERIFY_WITH_TIMEOUT(waitsFor().toString().contains(u"No space left"), 60'000);
        QVERIFY(m_drover.run({u"why"_qs, id}).out.contains("No space left"));
        const Finished other = append("small/report", "three\n");
        QVERIFY2(other.exitCode == 1 && other.err.contains("to repeat it, add --key "), other.err);
        QCOMPARE(content("small/report"), page);
        QVERIFY(filler.remove());
        QCOMPARE(m_drover.run({u"wait"_qs, id}).exitCode, 0);
        QCOMPARE(content("small/report"), page + "two\n");
        QCOMPARE(m_drover.run(words("files verify small/report")).exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(AppendTest)
#include "append_test.moc"
