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
            for (std::size_t i = 0; i < log.counts.size(); ++i)
                total.counts[i] += log.counts[i];
        }
        for (const quint64 count : total.counts)
            QVERIFY(count > 10);
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
