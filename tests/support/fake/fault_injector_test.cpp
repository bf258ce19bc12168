#include "support/fake/fake_session.h"
#include "support/run_task.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;
using State = zk::Client::State;

namespace {

// One session whose n-th operation meets a fault.
struct FaultedSession {
    VirtualLoop loop;
    FaultInjector faults;
    FakeZooKeeper server{loop};
    ProcessLoop process{loop};
    std::unique_ptr<FakeSession> session;

    explicit FaultedSession(FaultPlan plan) : faults(std::move(plan))
    {
        session = server.connect(process, {.latency = 1ms, .faults = &faults});
        loop.runUntilIdle();
    }

    static async::Task<Code> outcome(zk::Reply<zk::Created> reply)
    {
        try {
            const zk::Answer<zk::Created> answer = co_await reply;
            co_return answer.code();
        } catch (const zk::Error &error) {
            co_return error.code();
        }
    }
    Code create(const char *path) { return runTask(loop, outcome(session->create(Path(path), {}))); }
    bool exists(const char *path) const { return server.tree().find(Path(path)) != nullptr; }
};

FaultPlan scripted(quint64 operation, Fault fault)
{
    FaultPlan plan;
    plan.scripted[operation] = fault;
    return plan;
}

// A process that lives through faults: creates numbered nodes, with a new session when it has lost the old one.
async::Task<void> persevere(FakeZooKeeper &server, ProcessLoop &loop, FaultInjector &faults, QByteArray name)
{
    std::unique_ptr<FakeSession> session;
    for (int i = 0; i < 100; ++i) {
        const Path path(QByteArray('/' + name + '-' + QByteArray::number(i)));
        for (bool done = false; !done;) {
            if (!session || session->state() == State::Lost)
                session = server.connect(loop, {.latency = 1ms, .faults = &faults});
            try {
                co_await session->connected();
                const zk::Answer<zk::Created> created =
                    co_await session->create(path, QByteArray(), zk::CreateMode::Ephemeral);
                done = created.ok() || created.is(Code::NodeExists);
            } catch (const zk::ConnectionLoss &) {
            } catch (const zk::SessionLost &) {
            }
        }
    }
}

QByteArray traceOf(quint64 seed, FaultLog &log)
{
    VirtualLoop loop;
    FaultPlan plan = FaultPlan::everything(seed, 0.3);
    plan.throttle = 0.02;
    FaultInjector faults(plan);
    FakeZooKeeper server(loop);
    ProcessLoop one(loop);
    ProcessLoop two(loop);
    async::TaskGroup group;
    group.spawn(persevere(server, one, faults, "one"));
    group.spawn(persevere(server, two, faults, "two"));
    runTask(loop, group.drained(), 24h);
    log = faults.log();
    return server.trace() + server.dump();
}

} // namespace

class FaultInjectorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLostRequestIsNotCarriedOut()
    {
        FaultedSession faulted(scripted(2, Fault::LoseRequest));
        QCOMPARE(faulted.create("/1"), Code::Ok);
        QCOMPARE(faulted.create("/2"), Code::ConnectionLoss);
        QVERIFY(!faulted.exists("/2"));
        QCOMPARE(faulted.create("/3"), Code::Ok);
        QCOMPARE(faulted.faults.log().count(Fault::LoseRequest), 1);
    }

    void aLostReplyIsOfARequestCarriedOut()
    {
        FaultedSession faulted(scripted(1, Fault::LoseReply));
        QCOMPARE(faulted.create("/1"), Code::ConnectionLoss);
        QVERIFY(faulted.exists("/1"));
        QCOMPARE(faulted.create("/1"), Code::NodeExists);
    }

    void requestsBehindALostRequestAreLostToo()
    {
        FaultedSession faulted(scripted(1, Fault::LoseRequest));
        const auto first = faulted.session->create(Path("/1"), {});
        const auto second = faulted.session->create(Path("/2"), {});
        QCOMPARE(runTask(faulted.loop, FaultedSession::outcome(second)), Code::ConnectionLoss);
        QVERIFY(first.ready());
        QVERIFY(!faulted.exists("/1") && !faulted.exists("/2"));
    }

    void aDelayKeepsTheOrder()
    {
        FaultedSession faulted(scripted(1, Fault::Delay));
        const async::TimePoint before = faulted.loop.now();
        const auto first = faulted.session->create(Path("/1"), {});
        const auto second = faulted.session->create(Path("/2"), {});
        QVERIFY(faulted.loop.runUntil([&] { return second.ready(); }));
        QVERIFY(first.ready());
        QVERIFY(faulted.loop.now() - before > 2ms);
    }

    void aDisconnectionLeavesTheRequestAtHome()
    {
        FaultedSession faulted(scripted(1, Fault::Disconnect));
        QCOMPARE(faulted.create("/1"), Code::ConnectionLoss);
        QVERIFY(!faulted.exists("/1"));
        QVERIFY(faulted.session->state() == State::Suspended);
    }

    void expiryEndsTheSession()
    {
        FaultedSession faulted(scripted(1, Fault::Expire));
        QCOMPARE(faulted.create("/1"), Code::ConnectionLoss);
        QVERIFY(!faulted.exists("/1"));
        faulted.loop.runUntilIdle();
        QVERIFY(faulted.session->state() == State::Lost);
        QVERIFY(faulted.server.sessions().empty());
    }

    void aPauseStopsTheProcessAfterSending()
    {
        FaultedSession faulted(scripted(1, Fault::Pause));
        const auto reply = faulted.session->create(Path("/1"), {});
        QVERIFY(faulted.process.frozen());
        faulted.loop.runFor(2ms);
        QVERIFY(faulted.exists("/1"));
        QVERIFY(!reply.ready());
        faulted.loop.runUntilIdle();
        QVERIFY(reply.ready());
        QVERIFY(!faulted.process.frozen());
    }

    void healingEndsIt()
    {
        FaultPlan plan;
        plan.loseRequest = 1;
        FaultedSession faulted(plan);
        QCOMPARE(faulted.create("/1"), Code::ConnectionLoss);
        faulted.faults.heal();
        QCOMPARE(faulted.create("/1"), Code::Ok);
    }

    void theSameSeedIsTheSameRun()
    {
        FaultLog log;
        FaultLog again;
        QSet<QByteArray> traces;
        for (quint64 seed = 1; seed <= 20; ++seed) {
            const QByteArray trace = traceOf(seed, log);
            QCOMPARE(traceOf(seed, again), trace);
            QCOMPARE(again.toString(), log.toString());
            traces.insert(trace);
        }
        QCOMPARE(traces.size(), 20);
    }

    void everyKindBites()
    {
        FaultLog total;
        for (quint64 seed = 1; seed <= 20; ++seed) {
            FaultLog log;
            traceOf(seed, log);
            total += log;
        }
        for (const quint64 count : total.counts)
            QVERIFY(count > 10);
    }

    // It befalls a read or a write; then another session writes, or none does; then the first one reads.
    void aFaultBitesWhenItChangesWhatIsSeen_data()
    {
        QTest::addColumn<int>("fault");
        QTest::addColumn<bool>("write");
        QTest::addColumn<bool>("another");
        QTest::addColumn<bool>("bites");
        const auto row = [](Fault fault, bool write, bool another, bool bites) {
            QTest::addRow("%s of a %s, %s", name(fault), write ? "write" : "read", another ? "another writes" : "alone")
                << int(fault) << write << another << bites;
        };
        for (const Fault fault :
             {Fault::LoseRequest, Fault::Disconnect, Fault::Expire, Fault::FailSend, Fault::Throttle, Fault::Pause})
            row(fault, false, false, true);
        for (const Fault fault : {Fault::LoseReply, Fault::LateCommit}) {
            row(fault, true, false, true);
            row(fault, false, false, false);
        }
        for (const Fault fault : {Fault::Delay, Fault::Lag, Fault::Isolate}) {
            row(fault, false, true, true);
            row(fault, false, false, false);
        }
        row(Fault::Isolate, true, false, true);
    }
    void aFaultBitesWhenItChangesWhatIsSeen()
    {
        QFETCH(const int, fault);
        QFETCH(const bool, write);
        QFETCH(const bool, another);
        QFETCH(const bool, bites);
        FaultPlan plan = scripted(1, Fault(fault));
        plan.longestDelay = plan.longestLag = plan.longestOutage = plan.longestPause = 1min;
        FaultedSession faulted(plan);
        ProcessLoop elsewhere(faulted.loop);
        const auto other = faulted.server.connect(elsewhere, {.latency = 1ms});
        faulted.loop.runUntilIdle();

        if (write)
            static_cast<void>(faulted.session->create(Path("/1"), {}));
        else
            static_cast<void>(faulted.session->exists(Path("/2")));
        faulted.loop.runFor(10ms);
        if (another)
            static_cast<void>(other->create(Path("/2"), {}));
        faulted.loop.runFor(10ms);
        static_cast<void>(faulted.session->exists(Path("/2")));
        faulted.loop.runUntilIdle();
        QCOMPARE(faulted.faults.log().count(Fault(fault)), 1u);
        QCOMPARE(faulted.faults.log().bitten(Fault(fault)) > 0, bites);
        QCOMPARE(faulted.faults.log().toothless().size(), FaultKinds - 1 - int(bites));
    }

    void benchmarkASchedule()
    {
        quint64 seed = 0;
        FaultLog log;
        QBENCHMARK
        {
            traceOf(++seed, log);
        }
    }
};

QTEST_GUILESS_MAIN(FaultInjectorTest)
#include "fault_injector_test.moc"
