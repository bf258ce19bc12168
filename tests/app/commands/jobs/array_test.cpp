#include "app/support/access_of.h"
#include "app/support/drover_on_server.h"
#include "jobs/client/submitter.h"
#include "support/await.h"
#include "support/sanitized.h"
#include "zk/server/four_letter_word.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace drover;
using namespace drover::test;

// An array of 300 tasks: the real program, a real ZooKeeper, a history.
class ArrayTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    QString fileOf(const char *name) const { return m_drover.directory() + QLatin1Char('/') + QLatin1String(name); }

    jobs::JobId submit(const char *range, const QString &script)
    {
        jobs::JobSpec spec;
        spec.command = QStringList{QStringLiteral("sh"), QStringLiteral("-c"), script};
        spec.environment = {{QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin")}};
        spec.array = jobs::ArrayIndices::parse(QLatin1String(range));
        jobs::Submitter submitter(signedCluster(m_cluster.zk(), m_cluster.credentials()), {});
        return await(submitter.submit(spec));
    }

    Finished drover(const QString &arguments) const { return m_drover.run(words(arguments), 240'000); }
    QJsonArray list(const QString &arguments) const
    {
        return json(drover(arguments + QStringLiteral(" -o json"))).value(QStringLiteral("jobs")).toArray();
    }

    QByteArrayList linesOf(const QString &file) const
    {
        QFile lines(file);
        if (!lines.open(QIODevice::ReadOnly))
            return {};
        QByteArrayList all = lines.readAll().trimmed().split('\n');
        std::sort(all.begin(), all.end());
        return all;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default")});
        m_drover.setVariable("DROVER_HISTORY", fileOf("history.sqlite"));
        m_worker = m_drover.start(words(QStringLiteral("worker --slots 2")));
    }

    void cleanupTestCase()
    {
        m_worker->terminate();
        QVERIFY(m_worker->waitForFinished(60'000));
    }

    void everyTaskRunsOnceAndIsCounted()
    {
        const QString file = fileOf("ran");
        const jobs::JobId id =
            submit("1-300%40",
                   QStringLiteral("echo $DROVER_ARRAY_INDEX $DROVER_ARRAY_ID $DROVER_ARRAY_COUNT $DROVER_JOB_ID >> %1; "
                                  "[ $((DROVER_ARRAY_INDEX % 100)) != 7 ] || exit 3")
                       .arg(file));
        const Finished waited = drover(QStringLiteral("wait %1").arg(id.toString()));
        QVERIFY2(waited.exitCode == 3, waited.err);

        QByteArrayList expected;
        for (int index = 1; index <= 300; ++index) {
            const QByteArray number = QByteArray::number(index);
            expected.append(number + ' ' + id.bytes() + " 300 " + id.bytes() + '.' + number);
        }
        std::sort(expected.begin(), expected.end());
        QCOMPARE(linesOf(file), expected);

        const QJsonObject shown = json(drover(QStringLiteral("show %1 -o json").arg(id.toString())));
        QCOMPARE(shown.value(QStringLiteral("state")).toString(), QStringLiteral("failed"));
        QCOMPARE(shown.value(QStringLiteral("reason")).toString(), QStringLiteral("300 tasks: 297 ok, 3 failed"));
        QCOMPARE(list(QStringLiteral("ls --all")).size(), 1);
        QCOMPARE(list(QStringLiteral("ls --all --tasks --rows 1000")).size(), 301);
        QCOMPARE(list(QStringLiteral("ls --all --rows 1000 %1").arg(id.toString())).size(), 301);
        const QString task = id.toString() + QStringLiteral(".107");
        QCOMPARE(json(drover(QStringLiteral("show -o json %1").arg(task))).value(QStringLiteral("exit_code")).toInt(),
                 3);
    }

    // DROVER_ARRAY_TASKS=1000000 measures.
    void howeverLargeOneIsItStaysSmall()
    {
        bool ok = false;
        const int set = qEnvironmentVariableIntValue("DROVER_ARRAY_TASKS", &ok);
        const int count = ok ? set : 4000;
        const auto ask = [&](const char *field) {
            return zk::fieldOf(m_cluster.server.ask("mntr"), field).toLongLong();
        };
        const qint64 before = ask("zk_znode_count");
        const qint64 packets = ask("zk_packets_received");
        qint64 most = 0;
        QElapsedTimer clock;
        clock.start();
        const jobs::JobId id = submit(QByteArray("1-" + QByteArray::number(count)).constData(), QStringLiteral(":"));
        const zk::Path done = m_cluster.layout.done(id);
        QTRY_VERIFY_WITH_TIMEOUT(list(QStringLiteral("ls"))[0].toObject().contains(QStringLiteral("progress")), 30'000);
        const bool ended = QTest::qWaitFor(
            [&] {
                most = std::max(most, ask("zk_znode_count") - before);
                return m_cluster.children(done.parent()).contains(done.name());
            },
            std::max(240'000, count * 10));
        QVERIFY(ended);
        const double seconds = double(clock.elapsed()) / 1000;
        QFile status(QStringLiteral("/proc/%1/status").arg(m_worker->processId()));
        QVERIFY(status.open(QIODevice::ReadOnly));
        const QByteArray memory = status.readAll();
        const qint64 kilobytes = memory.mid(memory.indexOf("VmHWM:") + 6, 20).simplified().split(' ')[0].toLongLong();
        qInfo("%d tasks in %.1f s: %.0f a second; at most %lld znodes, %.2f requests a task, master's peak %lld kB",
              count, seconds, count / seconds, most, double(ask("zk_packets_received") - packets) / count, kilobytes);
        QVERIFY(most < 3000); // fewer than tasks, and those that have ended stay for a moment
        if (!Sanitized)
            QVERIFY(kilobytes > 0 && kilobytes < 100'000);
        const QJsonObject shown = json(drover(QStringLiteral("show %1 -o json").arg(id.toString())));
        QCOMPARE(shown.value(QStringLiteral("exit_code")).toInt(-1), 0);
    }

    void tasksThatAreStillToBeMadeCanBeCancelled()
    {
        const QString go = fileOf("go-8");
        const jobs::JobId id = submit("1-8%1", QStringLiteral("until test -e '%1'; do sleep 0.05; done").arg(go));
        const Finished range = drover(QStringLiteral("cancel %1.6..7 -o json").arg(id.toString()));
        QCOMPARE(range.exitCode, 0);
        QVERIFY2(range.out.contains("\"tasks\": 2"), range.out);
        const Finished one = drover(QStringLiteral("cancel %1.8").arg(id.toString()));
        QCOMPARE(one.exitCode, 0);
        QCOMPARE(drover(QStringLiteral("cancel %1.9").arg(id.toString())).exitCode, 3); // there is no such task
        QVERIFY(QFile(go).open(QIODevice::WriteOnly));
        QCOMPARE(drover(QStringLiteral("wait %1").arg(id.toString())).exitCode, 125);
        const QJsonObject shown = json(drover(QStringLiteral("show %1 -o json").arg(id.toString())));
        QCOMPARE(shown.value(QStringLiteral("reason")).toString(), QStringLiteral("8 tasks: 5 ok, 3 cancelled"));
    }

    void aTaskThatIsStillToBeMadeIsWaitedFor()
    {
        const QString go = fileOf("go-5");
        const QString waits = QStringLiteral("until test -e '%1'; do sleep 0.05; done").arg(go);
        const jobs::JobId id = submit("1-5%1", waits + QStringLiteral("; exit $DROVER_ARRAY_INDEX"));
        const Finished cancelled = drover(QStringLiteral("cancel %1.5").arg(id.toString()));
        QVERIFY2(cancelled.exitCode == 0, cancelled.err);
        QVERIFY(QFile(go).open(QIODevice::WriteOnly));
        const Finished fourth = drover(QStringLiteral("wait %1.4").arg(id.toString()));
        QVERIFY2(fourth.exitCode == 4 && fourth.out.contains(id.bytes() + ".4"), fourth.err);
        QCOMPARE(drover(QStringLiteral("wait %1.6").arg(id.toString())).exitCode, 3); // there is no such task
        const Finished fifth = drover(QStringLiteral("wait %1.5 -o json").arg(id.toString())); // it is never made
        QVERIFY2(fifth.exitCode == 125 && fifth.out.contains("\"cancelled\""), fifth.err);
        drover(QStringLiteral("wait %1").arg(id.toString()));
        for (const char *const format : {"table", "json"}) {
            const Finished shown = drover(QStringLiteral("show %1 -o %2").arg(id.toString(), QLatin1String(format)));
            QVERIFY2(!shown.out.contains("CPU") && !shown.out.contains("cpu_ms"), shown.out);
        }
    }

    // Ranges left out what had no node, and nothing told of tasks that never got one.
    void aRangeHasTheTasksThatAreNotMade()
    {
        const jobs::JobId id = submit("1-40%1",
                                      QStringLiteral("[ $DROVER_ARRAY_INDEX -lt 15 ] || exec sleep 600; "
                                                     "sleep 0.1; exit $((DROVER_ARRAY_INDEX % 7))"));
        const QString name = id.toString();
        const Finished toCome = drover(QStringLiteral("show %1.40 -o json").arg(name));
        QVERIFY2(toCome.exitCode == 0 && toCome.out.contains("\"waiting\""), toCome.err + toCome.out);
        const Finished held = drover(QStringLiteral("hold %1.39..40").arg(name));
        QVERIFY2(held.exitCode == 4 && held.err.contains("2 tasks of " + id.bytes() + ".39..40 still to be made"),
                 held.err);
        QCOMPARE(drover(QStringLiteral("hold %1.40").arg(name)).exitCode, 4);
        const Finished ten = drover(QStringLiteral("wait %1.5..14 -o json").arg(name));
        QVERIFY2(ten.exitCode == 6, ten.err + ten.out);
        QCOMPARE(json(ten).value(QStringLiteral("jobs")).toArray().size(), 10);
        QCOMPARE(drover(QStringLiteral("cancel %1").arg(name)).exitCode, 0);
        QCOMPARE(drover(QStringLiteral("wait %1").arg(name)).exitCode, 125);
        const auto expectNeverMade = [&] {
            const Finished last = drover(QStringLiteral("show %1.40 -o json").arg(name));
            QVERIFY2(last.exitCode == 0 && last.out.contains("cancelled before it was made"), last.err + last.out);
            const Finished range = drover(QStringLiteral("wait %1.36..40 -o json").arg(name));
            QVERIFY2(range.exitCode == 125, range.err + range.out);
            QCOMPARE(json(range).value(QStringLiteral("jobs")).toArray().size(), 5);
            QCOMPARE(drover(QStringLiteral("wait %1.40").arg(name)).exitCode, 125);
            QCOMPARE(drover(QStringLiteral("show %1.41").arg(name)).exitCode, 3);
        };
        expectNeverMade();
        QTRY_COMPARE_WITH_TIMEOUT(drover(QStringLiteral("history %1").arg(name)).exitCode, 0, 60'000);
        m_cluster.remove(m_cluster.layout.done(id));
        expectNeverMade(); // by what the history has
    }

    void aRunningArrayIsShownAndCancelled()
    {
        const jobs::JobId id = submit("0-99999%4", QStringLiteral("[ $DROVER_ARRAY_INDEX -lt 5 ] || exec sleep 600"));
        const auto progress = [&] {
            const QJsonArray jobs = list(QStringLiteral("ls --state running"));
            return jobs.isEmpty() ? QString() : jobs[0].toObject().value(QStringLiteral("progress")).toString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(progress(), QStringLiteral("5/100000"), 60'000);
        const Finished table = drover(QStringLiteral("ls"));
        QVERIFY2(table.out.contains("5/100000"), table.out);
        QCOMPARE(table.out.count('\n'), 2);
        QVERIFY(list(QStringLiteral("ls %1").arg(id.toString())).size() >= 5);

        QCOMPARE(drover(QStringLiteral("cancel %1").arg(id.toString())).exitCode, 0);
        QCOMPARE(drover(QStringLiteral("wait %1").arg(id.toString())).exitCode, 125);
        const QJsonObject shown = json(drover(QStringLiteral("show %1 -o json").arg(id.toString())));
        QCOMPARE(shown.value(QStringLiteral("state")).toString(), QStringLiteral("cancelled"));
        QCOMPARE(shown.value(QStringLiteral("reason")).toString(),
                 QStringLiteral("100,000 tasks: 5 ok, 99,995 cancelled"));
        QVERIFY(m_cluster.children(m_cluster.layout.queue("default")).isEmpty());
    }
};

QTEST_GUILESS_MAIN(ArrayTest)
#include "array_test.moc"
