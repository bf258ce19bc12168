#include "async/event.h"
#include "async/or_timeout.h"
#include "support/process_loop.h"
#include "support/run_task.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

async::Task<int> napThenReturn(async::Loop &loop, async::Duration nap, int value)
{
    co_await async::sleepFor(loop, nap);
    co_return value;
}

async::Task<void> waitFor(async::Event &event)
{
    co_await event.wait();
}

async::Task<void> tickForEver(async::Loop &loop)
{
    for (;;)
        co_await async::sleepFor(loop, 1s);
}

} // namespace

class VirtualLoopTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsInOrderOfTimeThenCall()
    {
        VirtualLoop loop;
        std::vector<int> order;
        const auto note = [&](int n) { return [&order, n] { order.push_back(n); }; };
        const async::Timer late = loop.after(2ms, note(5));
        const async::Timer sooner = loop.after(1ms, note(3));
        const async::Timer sameTime = loop.after(1ms, note(4));
        const async::Timer now = loop.after(0ms, note(1));
        loop.post(note(2));
        const async::TimePoint before = loop.now();
        QVERIFY(loop.runUntilIdle());
        QCOMPARE(order, (std::vector<int>{1, 2, 3, 4, 5}));
        QCOMPARE(loop.now() - before, async::Duration(2ms));
    }

    void aCancelledTimerNeitherFiresNorMovesTime()
    {
        VirtualLoop loop;
        const async::TimePoint before = loop.now();
        bool fired = false;
        async::Timer timer = loop.after(1h, [&] { fired = true; });
        timer.cancel();
        QVERIFY(loop.runUntilIdle());
        QVERIFY(!fired);
        QVERIFY(loop.now() == before);
    }

    void runForMovesTimeExactly()
    {
        VirtualLoop loop;
        int fired = 0;
        const async::Timer inside = loop.after(10ms, [&] { ++fired; });
        const async::Timer outside = loop.after(11ms, [&] { ++fired; });
        const async::TimePoint before = loop.now();
        loop.runFor(10ms);
        QCOMPARE(fired, 1);
        QCOMPARE(loop.now() - before, async::Duration(10ms));
    }

    void distinguishesADeadlockFromASlowTask()
    {
        VirtualLoop loop;
        QCOMPARE(runTask(loop, napThenReturn(loop, 59min, 7)), 7);
        async::Event never;
        QVERIFY_THROWS_EXCEPTION(Stuck, runTask(loop, waitFor(never)));
        QVERIFY_THROWS_EXCEPTION(Stuck, runTask(loop, tickForEver(loop)));
        QVERIFY_THROWS_EXCEPTION(async::Timeout, runTask(loop, async::orTimeout(loop, waitFor(never), 5s)));
    }

    void aLivelockIsFound()
    {
        VirtualLoop loop;
        std::function<void()> again = [&] { loop.post(again); };
        again();
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, loop.runUntilIdle());
    }

    void offloadedWorkIsDoneBeforeItsEnd()
    {
        VirtualLoop loop;
        QByteArray order;
        loop.offload([&] { order += 'w'; }, [&] { order += 'd'; });
        QCOMPARE(order, QByteArray("w"));
        loop.runUntilIdle();
        QCOMPARE(order, QByteArray("wd"));
    }

    void aFrozenProcessCatchesUpInOrder()
    {
        VirtualLoop world;
        ProcessLoop frozen(world);
        ProcessLoop other(world);
        QByteArray order;
        const async::Timer second = frozen.after(2ms, [&] { order += '2'; });
        const async::Timer first = frozen.after(1ms, [&] { order += '1'; });
        async::Timer cancelled = frozen.after(1ms, [&] { order += 'x'; });
        const async::Timer elsewhere = other.after(3ms, [&] {
            order += 'o';
            cancelled.cancel(); // due already, but held
        });
        frozen.freezeFor(5ms);
        frozen.post([&] { order += '0'; });
        QVERIFY(world.runUntilIdle());
        QCOMPARE(order, QByteArray("o012"));
    }

    void aDeadProcessRunsNothing()
    {
        VirtualLoop world;
        bool ran = false;
        auto process = std::make_unique<ProcessLoop>(world);
        process->post([&] { ran = true; });
        const async::Timer timer = process->after(1ms, [&] { ran = true; });
        process.reset();
        world.runUntilIdle();
        QVERIFY(!ran);
    }
};

QTEST_GUILESS_MAIN(VirtualLoopTest)
#include "virtual_loop_test.moc"
