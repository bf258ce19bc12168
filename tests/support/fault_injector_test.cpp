#include "support/fake_session.h"
#include "support/run_task.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;
using State = zk::Coordinator::State;

namespace {

// One session whose n-th operation meets a fault.
struct World {
    VirtualLoop loop;
    FaultInjector faults;
    FakeZooKeeper server{loop};
    ParticipantLoop process{loop};
    std::unique_ptr<FakeSession> session;

    explicit World(FaultPlan plan) : faults(std::move(plan))
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
async::Task<void> persevere(FakeZooKeeper &server, ParticipantLoop &loop, FaultInjector &faults, QByteArray name)
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
    FaultInjector faults(FaultPlan::everything(seed, 0.3));
    FakeZooKeeper server(loop);
    ParticipantLoop one(loop);
    ParticipantLoop two(loop);
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
        World world(scripted(2, Fault::LoseRequest));
        QCOMPARE(world.create("/1"), Code::Ok);
        QCOMPARE(world.create("/2"), Code::ConnectionLoss);
        QVERIFY(!world.exists("/2"));
        QCOMPARE(world.create("/3"), Code::Ok);
        QCOMPARE(world.faults.log().count(Fault::LoseRequest), 1);
    }

    void aLostReplyIsOfARequestCarriedOut()
    {
        World world(scripted(1, Fault::LoseReply));
        QCOMPARE(world.create("/1"), Code::ConnectionLoss);
        QVERIFY(world.exists("/1"));
        QCOMPARE(world.create("/1"), Code::NodeExists);
    }

    void whatFollowsALostRequestIsLostToo()
    {
        World world(scripted(1, Fault::LoseRequest));
        const auto first = world.session->create(Path("/1"), {});
        const auto second = world.session->create(Path("/2"), {});
        QCOMPARE(runTask(world.loop, World::outcome(second)), Code::ConnectionLoss);
        QVERIFY(first.ready());
        QVERIFY(!world.exists("/1") && !world.exists("/2"));
    }

    void aDelayKeepsTheOrder()
    {
        World world(scripted(1, Fault::Delay));
        const async::TimePoint before = world.loop.now();
        const auto first = world.session->create(Path("/1"), {});
        const auto second = world.session->create(Path("/2"), {});
        QVERIFY(world.loop.runUntil([&] { return second.ready(); }));
        QVERIFY(first.ready());
        QVERIFY(world.loop.now() - before > 2ms);
    }

    void aDisconnectionLeavesTheRequestAtHome()
    {
        World world(scripted(1, Fault::Disconnect));
        QCOMPARE(world.create("/1"), Code::ConnectionLoss);
        QVERIFY(!world.exists("/1"));
        QVERIFY(world.session->state() == State::Suspended);
    }

    void expiryEndsTheSession()
    {
        World world(scripted(1, Fault::Expire));
        QCOMPARE(world.create("/1"), Code::ConnectionLoss);
        QVERIFY(!world.exists("/1"));
        world.loop.runUntilIdle();
        QVERIFY(world.session->state() == State::Lost);
        QVERIFY(world.server.sessions().empty());
    }

    void aPauseStopsTheProcessAfterSending()
    {
        World world(scripted(1, Fault::Pause));
        const auto reply = world.session->create(Path("/1"), {});
        QVERIFY(world.process.frozen());
        world.loop.runFor(2ms);
        QVERIFY(world.exists("/1"));
        QVERIFY(!reply.ready());
        world.loop.runUntilIdle();
        QVERIFY(reply.ready());
        QVERIFY(!world.process.frozen());
    }

    void healingEndsIt()
    {
        FaultPlan plan;
        plan.loseRequest = 1;
        World world(plan);
        QCOMPARE(world.create("/1"), Code::ConnectionLoss);
        world.faults.heal();
        QCOMPARE(world.create("/1"), Code::Ok);
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
