#include "app/launch/ssh_hosts.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSet>
#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::test;

namespace {

constexpr int Hosts = 3;

} // namespace

// What bounds a launch: the time of a drain, the number of hosts at a time, and the size of a worker's log.
class LimitsTest : public QObject, SshHosts
{
    Q_OBJECT

    // The most rows that were at work at once, as the lines of jsonl tell it.
    static int mostAtWork(const QByteArray &lines)
    {
        QSet<QString> atWork;
        qsizetype most = 0;
        for (const QByteArray &line : lines.trimmed().split('\n')) {
            const QJsonObject row = QJsonDocument::fromJson(line).object();
            const QString state = row[u"state"].toString();
            if (state == u"working")
                atWork.insert(row[u"host"].toString());
            else
                atWork.remove(row[u"host"].toString());
            most = std::max(most, atWork.size());
        }
        return int(most);
    }

    QString logOf(int number) const { return folderOf(hostName(number)) + QStringLiteral("/worker.log"); }

    static QByteArray read(const QString &name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("there is none");
    }

    static void append(const QString &name, qint64 bytes)
    {
        QFile file(name);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.resize(file.size() + bytes));
    }

private Q_SLOTS:
    void initTestCase() { startHosts(Hosts); }
    void init() { writeHosts(allHosts()); }
    void cleanup() { stopWorkers(); }

    // The worker with the long job goes on as it was, and the next host is upgraded all the same.
    void aDrainThatTakesTooLongLeavesItsWorkerAsItWas()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0, first.out + first.err);
        const QString job = QString::fromUtf8(m_drover.run(words("submit --label host-1 -- sleep 600")).out.trimmed());
        const QStringList show = words("show -o json") << job;
        QTRY_COMPARE_WITH_TIMEOUT(json(m_drover.run(show))[u"state"].toString(), QStringLiteral("running"), 30'000);
        useOtherPrograms("bin-2");

        const Finished upgraded = launch("upgrade --drain-timeout 1s");
        QCOMPARE(upgraded.exitCode, 1);
        const QMap<QString, QJsonObject> rows = rowsOf(upgraded);
        QVERIFY2(rows[hostName(1)][u"trouble"].toString().contains(u"still has jobs after 1s, and goes on"),
                 upgraded.out);
        QVERIFY2(pidsOf(upgraded).size() == Hosts - 1, upgraded.out);
        const QMap<QString, qint64> before = pidsOf(first);
        const QMap<QString, qint64> after = pidsOf(launch("status"));
        QCOMPARE(after[hostName(1)], before[hostName(1)]);
        for (int number = 2; number <= Hosts; ++number)
            QVERIFY(after[hostName(number)] != before[hostName(number)]);
        QCOMPARE(m_cluster.children(m_cluster.layout.cordon("x").parent()), QByteArrayList());
        const QJsonObject still = json(m_drover.run(show));
        QCOMPARE(still[u"state"].toString(), QStringLiteral("running"));
        QCOMPARE(still[u"attempt"].toInt(), 1);

        QCOMPARE(m_drover.run(words("cancel") << job).exitCode, 0);
        const Finished again = launch("upgrade --drain-timeout 1m");
        QVERIFY2(again.exitCode == 0, again.out + again.err);
        QVERIFY(pidsOf(again)[hostName(1)] != before[hostName(1)]);
    }

    void noMoreHostsAreWorkedOnThanParallelSays_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<int>("most");
        QTest::newRow("one") << QByteArray("parallel = 1\n") << 1;
        QTest::newRow("two") << QByteArray("parallel = 2\n") << 2;
        QTest::newRow("by default all of a few") << QByteArray() << Hosts;
    }
    void noMoreHostsAreWorkedOnThanParallelSays()
    {
        QFETCH(QByteArray, said);
        QFETCH(int, most);
        write(QStringLiteral("hosts.toml"), said + common() + allHosts());
        for (const char *const verb : {"start", "stop"}) {
            const Finished finished = launch(verb, "jsonl");
            QVERIFY2(finished.exitCode == 0, finished.out + finished.err);
            QVERIFY2(mostAtWork(finished.out) == most, finished.out);
        }
    }

    // By default at 10 MB, and where the file says less, there.
    void aLogThatIsFullIsBegunAnew()
    {
        writeHosts(hostTable(hostName(1))
                   + hostTable(hostName(2)).replace("worker = {", "worker = { log_size = \"64K\","));
        const Finished started = launch("start");
        QVERIFY2(started.exitCode == 0, started.out + started.err);
        const QString older = QStringLiteral(".1");
        for (const int number : {1, 2}) {
            QVERIFY2(read(logOf(number)).contains(": queues "), read(logOf(number)));
            QFile::remove(logOf(number) + older); // of the start before
            append(logOf(number), 100'000);
        }
        QTRY_VERIFY_WITH_TIMEOUT(read(logOf(2) + older).contains(": queues "), 60'000);
        QVERIFY(QFileInfo(logOf(2)).size() < 1000);
        QVERIFY(QFileInfo(logOf(1)).size() > 100'000);
        append(logOf(1), 10 << 20);
        QTRY_VERIFY_WITH_TIMEOUT(read(logOf(1) + older).contains(": queues "), 60'000);
        QVERIFY(QFileInfo(logOf(1)).size() < 1000);
        QCOMPARE(launch("stop").exitCode, 0);
        for (const int number : {1, 2})
            QVERIFY2(read(logOf(number)).contains(": stopping"), read(logOf(number)));
    }
};

QTEST_GUILESS_MAIN(LimitsTest)
#include "limits_test.moc"
