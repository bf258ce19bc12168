#include "workers/working.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// A queue of a worker that cannot be read, or has gone. The worker goes on with the others.
class ShutQueueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("nothing is claimed"))); } // a second time

    void theOthersGoOn_data()
    {
        QTest::addColumn<bool>("isRemoved");
        QTest::addColumn<bool>("isBusy");
        for (const bool isBusy : {false, true}) {
            const char *const beside = isBusy ? ", with jobs in another" : "";
            QTest::addRow("it cannot be read%s", beside) << false << isBusy;
            QTest::addRow("it has gone%s", beside) << true << isBusy;
        }
    }
    void theOthersGoOn()
    {
        QFETCH(const bool, isRemoved);
        QFETCH(const bool, isBusy);
        WorkerCluster fake(2);
        fake.run(ensureCluster(fake.cluster(), {"shut"}));
        const zk::Path queue = fake.layout.queue("shut");
        workers::WorkerOptions options = Working::options(1);
        options.queues = {"default", "shut"};
        const Working working(fake, 1, options);
        fake.settle(2s);
        const QString why = isRemoved ? QStringLiteral("it is no longer there")
                                      : queue.toString() + QStringLiteral(": permission denied");
        QTest::ignoreMessage(QtWarningMsg,
                             QRegularExpression(QStringLiteral("queue shut: nothing is claimed .*%1$").arg(why)));
        std::vector<JobId> beside;
        for (int i = 0; isBusy && i < 3; ++i)
            beside.push_back(fake.submit());
        if (isRemoved)
            fake.commit(zk::Transaction().remove(queue));
        else
            fake.setReadable(queue, false);
        fake.settle(4min);
        beside.push_back(fake.submit());
        fake.settle(2min);
        for (const JobId &id : beside) {
            QVERIFY(fake.exists(fake.layout.done(id)));
            QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        }

        if (isRemoved)
            fake.write(queue, {});
        else
            fake.setReadable(queue, true);
        JobSpec spec = JobCluster::spec();
        spec.queue = "shut";
        const JobId id = fake.submit(spec);
        fake.settle(2min);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // What has not begun goes back to the queue that cannot be read, and what has begun goes on.
    void whatRunsThereGoesOn()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.environment = {{QStringLiteral("TAKES"), QStringLiteral("60000")}};
        const JobId id = fake.submit(spec);
        workers::WorkerOptions options = Working::options(2);
        const Working working(fake, 1, options);
        fake.settle(2s);
        QVERIFY(working.began(id));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("queue default: nothing is claimed")));
        fake.setReadable(fake.layout.queue("default"), false);
        fake.settle(5min);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.attemptsOf(id), 1);
    }

    // An idle worker asks for nothing more than a few times a minute.
    void itIsTriedAgainNowAndThen()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1);
        fake.settle(2s);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("queue default: nothing is claimed")));
        fake.setReadable(fake.layout.queue("default"), false);
        fake.settle(1min);
        const quint64 before = fake[1].counters().requests;
        fake.settle(60s);
        const quint64 requests = fake[1].counters().requests - before;
        QVERIFY2(requests < 60 * 8, qPrintable(QString::number(requests))); // the master's statistics, too
    }
};

QTEST_GUILESS_MAIN(ShutQueueTest)
#include "shut_queue_test.moc"
