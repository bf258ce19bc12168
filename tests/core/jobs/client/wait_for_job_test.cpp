#include "core/jobs/job_cluster.h"
#include "jobs/client/wait_for_job.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// A client that waits on a session of its own, and what came of it.
class Waiter
{
public:
    explicit Waiter(JobCluster &fake, int who) : m_zk(fake[who]), m_layout(fake.layout) { }

    void waitForEnd(const JobId &id) { m_waiting.spawn(awaitEnd(*this, id)); }
    void waitForStart(const JobId &id) { m_waiting.spawn(awaitStart(*this, id)); }

    std::optional<FinalRecord> ended;
    std::optional<JobView> started;
    QString notFound;

private:
    static async::Task<void> awaitEnd(Waiter &self, JobId id)
    {
        try {
            const FinalRecord record = co_await jobs::waitForEnd(Cluster(self.m_zk, self.m_layout), id);
            self.ended = record;
        } catch (const NotFound &error) {
            self.notFound = QString::fromUtf8(error.what());
        }
    }
    static async::Task<void> awaitStart(Waiter &self, JobId id)
    {
        try {
            const JobView view = co_await jobs::waitForStart(Cluster(self.m_zk, self.m_layout), id);
            self.started = view;
        } catch (const NotFound &error) {
            self.notFound = QString::fromUtf8(error.what());
        }
    }

    zk::Client &m_zk;
    Layout m_layout;
    async::TaskGroup m_waiting;
};

FinalRecord success(const JobId &id)
{
    return FinalRecord::of(id, JobCluster::spec());
}

} // namespace

class WaitTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void waitingNeedsNoPolling()
    {
        JobCluster fake(2);
        const JobId id = fake.submit();
        Waiter waiter(fake, 1);
        waiter.waitForEnd(id);
        fake.settle();
        const quint64 requests = fake[1].counters().requests;
        fake.settle(60s);
        fake.claim(id, 0); // no concern of who waits for the end
        fake.settle(60s);
        QCOMPARE(fake[1].counters().requests, requests);
        QCOMPARE(fake[1].counters().watchEvents, 0u);
        fake.end(id, success(id));
        fake.settle();
        QVERIFY(waiter.ended);
        QCOMPARE(waiter.ended->exitCode(), 0);
        QCOMPARE(fake[1].counters().watchEvents, 1u);
        QCOMPARE(fake[1].counters().requests, requests + 3); // where it was seen, its claim, its record
    }

    void aClaimIsAStart()
    {
        JobCluster fake(2);
        const JobId id = fake.submit();
        Waiter waiter(fake, 1);
        waiter.waitForStart(id);
        fake.settle(60s);
        QVERIFY(!waiter.started);
        fake.claim(id, 0);
        fake.settle();
        QVERIFY(waiter.started);
        QCOMPARE(waiter.started->state, JobState::Running);
    }

    void anEndWithoutARunIsAStart()
    {
        JobCluster fake(2);
        const JobId id = fake.submit();
        Waiter waiter(fake, 1);
        waiter.waitForStart(id);
        fake.settle();
        fake.end(id, success(id));
        fake.settle();
        QVERIFY(waiter.started);
        QCOMPARE(waiter.started->state, JobState::Succeeded);
    }

    void aJobDeletedByHandIsNotAwaitedForEver()
    {
        JobCluster fake(3);
        const JobId id = fake.submit();
        Waiter forEnd(fake, 1);
        Waiter forStart(fake, 2);
        forEnd.waitForEnd(id);
        forStart.waitForStart(id);
        fake.settle();
        fake.commit(zk::Transaction().remove(fake.pathOf(id)));
        fake.settle();
        for (const Waiter *waiter : {&forEnd, &forStart}) {
            QVERIFY(waiter->notFound.contains(id.toString()));
            QVERIFY2(waiter->notFound.contains(QStringLiteral("deleted")), qPrintable(waiter->notFound));
        }
    }

    void eventsDuringADisconnectionAreSeenAfterwards()
    {
        JobCluster fake(2);
        const JobId id = fake.submit();
        Waiter waiter(fake, 1);
        waiter.waitForEnd(id);
        fake.settle();
        fake.session(1).disconnect();
        fake.end(id, success(id));
        fake.settle();
        QVERIFY(!waiter.ended);
        fake.session(1).reconnect();
        fake.settle(2s);
        QVERIFY(waiter.ended);
    }
};

QTEST_GUILESS_MAIN(WaitTest)
#include "wait_for_job_test.moc"
