#include "app/support/cut_cluster.h"

#include <QFile>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using Way = CutCluster::Way;

namespace {

constexpr auto RoundTrip = 14s; // each way more than a worker's session lives, and less than the servers' patience

} // namespace

// A worker whose only server is cut from the leader of its ensemble: the leader takes it for dead, though its server
// goes on answering reads. So it does over a link that grows slow: nothing is lost, and all of it is late at last.
class CutWorkerTest : public QObject
{
    Q_OBJECT

    CutCluster m_cluster;

    // When each attempt gave a sign of life, in seconds.
    std::map<int, std::vector<double>> signs() const
    {
        QFile file(m_cluster.drover.directory() + QStringLiteral("/signs"));
        std::map<int, std::vector<double>> times;
        if (!file.open(QIODevice::ReadOnly))
            return times;
        for (const QByteArray &line : file.readAll().split('\n')) {
            const QByteArrayList parts = line.split(' ');
            if (parts.size() == 2)
                times[parts[0].toInt()].push_back(parts[1].toDouble());
        }
        return times;
    }

    // The first attempt gives signs of life until it is killed, the second gives one.
    QByteArray submit()
    {
        const Finished submitted = m_cluster.drover.shell(
            "rm -f signs; drover submit -- sh -c 'cd " + m_cluster.drover.directory().toUtf8()
            + "; while echo $DROVER_ATTEMPT $(date +%s.%N) >> signs; [ $DROVER_ATTEMPT = 1 ]; do sleep 0.02; done'");
        if (submitted.exitCode != 0)
            throw std::runtime_error(submitted.err.toStdString());
        return submitted.out.trimmed();
    }

    void disturb(int server, std::optional<Way> way)
    {
        if (way) {
            m_cluster.cut(server, *way);
            return;
        }
        for (int round = 1; round <= 10; ++round) {
            m_cluster.setRoundTrip(server, round * 150ms);
            QTest::qWait(100);
        }
        m_cluster.setRoundTrip(server, RoundTrip);
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start(); }
    void cleanup() { m_cluster.heal(); }
    void cleanupTestCase() { m_cluster.stop(); }

    void noAttemptBeginsBeforeTheOneBeforeItIsDead_data()
    {
        QTest::addColumn<std::optional<Way>>("way");
        QTest::newRow("cut both ways") << std::optional(Way::Both);
        QTest::newRow("cut to the leader") << std::optional(Way::Out);
        QTest::newRow("cut from the leader") << std::optional(Way::In);
        QTest::newRow("a link that grows slow") << std::optional<Way>();
    }
    void noAttemptBeginsBeforeTheOneBeforeItIsDead()
    {
        QFETCH(std::optional<Way>, way);
        const int leader = m_cluster.leader();
        const int follower = m_cluster.follower();
        m_cluster.drover.setVariable("DROVER_CONNECT", m_cluster.connectString(leader));
        const auto cutOff = m_cluster.startWorker(QStringLiteral("cut-off"), follower);
        const QByteArray job = submit();
        QTRY_VERIFY_WITH_TIMEOUT(!signs().empty(), 30'000);
        const auto other = m_cluster.startWorker(QStringLiteral("other"), leader);
        QTest::qWait(1500); // an idle worker: a write without an answer would tell it
        disturb(follower, way);
        const Finished waited = m_cluster.drover.shell("drover wait " + job);
        QVERIFY2(waited.exitCode == 0, waited.out + waited.err);
        auto seen = signs();
        QCOMPARE(seen.size(), 2u);
        QVERIFY2(seen[1].back() < seen[2].front(),
                 QByteArray::number(seen[1].back() - seen[2].front()) + " s too late");
        m_cluster.heal();
        CutCluster::endWorker(*cutOff);
        CutCluster::endWorker(*other);
    }
};

QTEST_GUILESS_MAIN(CutWorkerTest)
#include "cut_worker_test.moc"
