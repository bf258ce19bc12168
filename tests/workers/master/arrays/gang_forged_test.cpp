#include "workers/master/arrays/gang_cluster.h"

#include <QRegularExpression>
#include <QSysInfo>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// A client with the password of the role worker announces members that are none. What they say of themselves would
// reach the environment of each member's job.
class GangForgedTest : public QObject
{
    Q_OBJECT

    static QByteArray memberAs(const QByteArray &worker, const QByteArray &host, const QByteArray &more = {})
    {
        return "{" + more + "\"worker\":\"" + worker + "\",\"host\":\"" + host + "\"}";
    }

    static QByteArray variableOf(const Execution &run, const QByteArray &name)
    {
        for (const QByteArray &variable : run.environment) {
            if (variable.startsWith(name + '='))
                return variable.mid(name.size() + 1);
        }
        return {};
    }

private Q_SLOTS:
    void aGangDoesNotBeginWithIt_data()
    {
        QTest::addColumn<QByteArray>("worker");
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<bool>("isStart"); // the whole start is forged, and not one member
        const auto row = [](const char *what, const char *worker, const char *host) {
            for (const bool isStart : {false, true})
                QTest::addRow("%s: %s", isStart ? "start" : "member", what)
                    << QByteArray(worker) << QByteArray(host) << isStart;
        };
        row("two hosts", "w2", "good,evil.example");
        row("a command", "w2", "$(touch /tmp/evil)");
        row("another line", "w2", "a\\nLD_PRELOAD=x");
        row("no host", "w2", "");
        row("no worker", "../w", "good");
    }
    void aGangDoesNotBeginWithIt()
    {
        QFETCH(QByteArray, worker);
        QFETCH(QByteArray, host);
        QFETCH(bool, isStart);
        WorkerCluster fake(3);
        const Working first(fake, 1, 1);
        const Working second(fake, 2, 1);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 2, gangOf(2));
        fake.settle(2s);
        const zk::Path round = fake.layout.gang(id, 0);
        const QByteArrayList places = fake.childrenOf(round);
        QCOMPARE(places.size(), 1);
        const std::optional<GangPlaceName> there = GangPlaceName::parse(places.front());
        QVERIFY(there);
        const zk::Path forged =
            isStart ? round / GangStart::Name : round / GangPlaceName{1 - there->rank, 1LL << 60}.name();
        const QByteArray token = "\"token\":\"" + QByteArray::number(there->claimZxid) + "\",";
        QTest::ignoreMessage(QtWarningMsg,
                             QRegularExpression(QStringLiteral("does not begin: .* is malformed: field")));
        fake.write(forged,
                   isStart ? "{\"v\":1,\"members\":[" + memberAs(worker, host, token) + ','
                           + memberAs(worker, host, token) + "]}"
                           : memberAs(worker, host, "\"v\":1,"));
        makeRoom(fake, 2);
        fake.settle(10s);
        QVERIFY(isStart || runsOf(id, {&first, &second}).empty()); // after a start that was none comes another round
        if (fake.exists(forged))
            fake.commit(zk::Transaction().remove(forged));
        fake.settle(30min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        const QByteArray self = QSysInfo::machineHostName().toUtf8();
        for (const Execution &run : runsOf(id, {&first, &second})) {
            QCOMPARE(variableOf(run, "DROVER_GANG_PEERS"), self + ',' + self);
            QVERIFY(QByteArrayList({"w1,w2", "w2,w1"}).contains(variableOf(run, "DROVER_GANG_WORKERS")));
        }
        expectNothingLeft(fake);
    }
};

QTEST_GUILESS_MAIN(GangForgedTest)
#include "gang_forged_test.moc"
