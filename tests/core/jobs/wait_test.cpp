#include "core/jobs/job_party.h"
#include "jobs/wait.h"

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
    explicit Waiter(JobParty &party, int who) : m_zk(party[who]), m_layout(party.layout) { }

    void waitForEnd(const JobId &id) { m_waiting.spawn(awaitEnd(*this, id)); }
    void waitForStart(const JobId &id) { m_waiting.spawn(awaitStart(*this, id)); }

    std::optional<FinalRecord> ended;
    std::optional<JobView> started;
    QString notFound;

private:
    static async::Task<void> awaitEnd(Waiter &self, JobId id)
    {
        try {
            const FinalRecord record = co_await jobs::waitForEnd(self.m_zk, self.m_layout, id);
            self.ended = record;
        } catch (const NotFound &error) {
            self.notFound = QString::fromUtf8(error.what());
        }
    }
    static async::Task<void> awaitStart(Waiter &self, JobId id)
    {
        try {
            const JobView view = co_await jobs::waitForStart(self.m_zk, self.m_layout, id);
            self.started = view;
        } catch (const NotFound &error) {
            self.notFound = QString::fromUtf8(error.what());
        }
    }

    zk::Coordinator &m_zk;
    Layout m_layout;
    async::TaskGroup m_waiting;
};

FinalRecord success(const JobId &id)
{
    return FinalRecord::of(id, JobParty::spec());
}

} // namespace

class WaitTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void waitingNeedsNoPolling()
    {
        JobParty party(2);
        const JobId id = party.submit();
        Waiter waiter(party, 1);
        waiter.waitForEnd(id);
        party.settle();
        const quint64 requests = party[1].counters().requests;
        party.settle(60s);
        party.claim(id, 0); // no concern of who waits for the end
        party.settle(60s);
        QCOMPARE(party[1].counters().requests, requests);
        QCOMPARE(party[1].counters().watchEvents, 0u);
        party.end(id, success(id));
        party.settle();
        QVERIFY(waiter.ended);
        QCOMPARE(waiter.ended->exitCode(), 0);
        QCOMPARE(party[1].counters().watchEvents, 1u);
        QCOMPARE(party[1].counters().requests, requests + 3); // where it was seen, its claim, its record
    }

    void aClaimIsAStart()
    {
        JobParty party(2);
        const JobId id = party.submit();
        Waiter waiter(party, 1);
        waiter.waitForStart(id);
        party.settle(60s);
        QVERIFY(!waiter.started);
        party.claim(id, 0);
        party.settle();
        QVERIFY(waiter.started);
        QCOMPARE(waiter.started->state, JobState::Running);
    }

    void anEndWithoutARunIsAStart()
    {
        JobParty party(2);
        const JobId id = party.submit();
        Waiter waiter(party, 1);
        waiter.waitForStart(id);
        party.settle();
        party.end(id, success(id));
        party.settle();
        QVERIFY(waiter.started);
        QCOMPARE(waiter.started->state, JobState::Succeeded);
    }

    void aJobDeletedByHandIsNotAwaitedForEver()
    {
        JobParty party(3);
        const JobId id = party.submit();
        Waiter forEnd(party, 1);
        Waiter forStart(party, 2);
        forEnd.waitForEnd(id);
        forStart.waitForStart(id);
        party.settle();
        party.commit(zk::Transaction().remove(party.pathOf(id)));
        party.settle();
        for (const Waiter *waiter : {&forEnd, &forStart}) {
            QVERIFY(waiter->notFound.contains(id.toString()));
            QVERIFY2(waiter->notFound.contains(QStringLiteral("deleted")), qPrintable(waiter->notFound));
        }
    }

    void whatHappensWithoutAConnectionIsSeenAfterwards()
    {
        JobParty party(2);
        const JobId id = party.submit();
        Waiter waiter(party, 1);
        waiter.waitForEnd(id);
        party.settle();
        party.session(1).disconnect();
        party.end(id, success(id));
        party.settle();
        QVERIFY(!waiter.ended);
        party.session(1).reconnect();
        party.settle(2s);
        QVERIFY(waiter.ended);
    }
};

QTEST_GUILESS_MAIN(WaitTest)
#include "wait_test.moc"
