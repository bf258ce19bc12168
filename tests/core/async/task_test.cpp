#include "async/event.h"
#include "async/future.h"
#include "async/or_timeout.h"
#include "async/pause.h"
#include "async/qt_loop.h"
#include "async/task.h"
#include "async/task_group.h"
#include "support/await.h"

#include <QDir>
#include <QFile>
#include <QSemaphore>
#include <QTest>

#include <ctime>

using namespace drover::async;
using drover::test::await;
using namespace std::chrono_literals;

namespace {

// Notes its own destruction, to see that a cancelled coroutine unwinds.
struct Witness {
    explicit Witness(bool &flag) : m_flag(flag) { }
    ~Witness() { m_flag = true; }
    bool &m_flag;
};

Task<int> fortyTwo()
{
    co_return 42;
}

Task<int> failing()
{
    throw std::runtime_error("no");
    co_return 0;
}

Task<void> waitWithWitness(Event &event, bool &unwound, bool &finished)
{
    const Witness witness(unwound);
    co_await event.wait();
    finished = true;
}

Task<int> addOne(Task<int> other)
{
    const int value = co_await other;
    co_return value + 1;
}

Task<int> deep(int depth)
{
    if (depth == 0)
        co_return 0;
    const int below = co_await deep(depth - 1);
    co_return below + 1;
}

Task<int> loopOverReadyTasks(int count)
{
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        const int value = co_await fortyTwo();
        sum += value == 42;
    }
    co_return sum;
}

// The clock of each timerfd of this process, by its number.
QByteArrayList clocksOfTimers()
{
    QByteArrayList clocks;
    const QDir descriptors(QStringLiteral("/proc/self/fd"));
    const QStringList names = descriptors.entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
    for (const QString &name : names) {
        QFile info(QStringLiteral("/proc/self/fdinfo/") + name);
        if (!QFile::symLinkTarget(descriptors.filePath(name)).endsWith(u"anon_inode:[timerfd]")
            || !info.open(QFile::ReadOnly))
            continue;
        for (const QByteArray &line : info.readAll().split('\n')) {
            if (line.startsWith("clockid:"))
                clocks.append(line.mid(8).trimmed());
        }
    }
    return clocks;
}

} // namespace

class TaskTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isLazy()
    {
        bool unwound = false;
        bool finished = false;
        Event event;
        event.set();
        {
            const Task<void> never = waitWithWitness(event, unwound, finished);
        }
        QVERIFY(!finished);
        QVERIFY(!unwound); // the body never began, so its witness never lived
    }

    void returnsValuesAndErrors()
    {
        QCOMPARE(await(addOne(fortyTwo())), 43);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, await(addOne(failing())));
    }

    void completesALongLoopInBoundedStack() { QCOMPARE(await(loopOverReadyTasks(20000)), 20000); }

    void unwindsDeepNesting() { QCOMPARE(await(deep(500)), 500); }

    void destructionCancels()
    {
        bool unwound = false;
        bool finished = false;
        Event event;
        {
            TaskGroup group;
            group.spawn(waitWithWitness(event, unwound, finished));
            QVERIFY(!unwound);
        }
        QVERIFY(unwound);
        event.set(); // no coroutine is left to be resumed
        QVERIFY(!finished);
    }

    void timeoutCancelsAndThrows()
    {
        QtLoop loop;
        Event event;
        bool unwound = false;
        bool finished = false;
        const auto slow = [&]() -> Task<int> {
            co_await waitWithWitness(event, unwound, finished);
            co_return 1;
        };
        QVERIFY_THROWS_EXCEPTION(Timeout, await(orTimeout(loop, slow(), 5ms)));
        QVERIFY(unwound);
        QVERIFY(!finished);
    }

    void noTimeoutWhenDoneInTime()
    {
        QtLoop loop;
        QCOMPARE(await(orTimeout(loop, fortyTwo(), 10s)), 42);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, await(orTimeout(loop, failing(), 10s)));
    }

    void sleepTakesTheTimeAsked()
    {
        QtLoop loop;
        const TimePoint before = loop.now();
        const auto nap = [&]() -> Task<int> {
            co_await sleepFor(loop, 20ms);
            co_return 0;
        };
        await(nap());
        QVERIFY(loop.now() - before >= 20ms);
    }

    void eventWakesInOrderAndWaitersMayVanish()
    {
        Event event;
        std::vector<int> order;
        const auto wait = [&](int id) -> Task<void> {
            co_await event.wait();
            order.push_back(id);
        };
        TaskGroup kept;
        kept.spawn(wait(1));
        {
            TaskGroup dropped;
            dropped.spawn(wait(2));
        }
        kept.spawn(wait(3));
        event.set();
        QCOMPARE(order, (std::vector<int>{1, 3}));
        QVERIFY(kept.empty());
    }

    void groupReportsEscapedErrors()
    {
        QString message;
        TaskGroup group([&](const std::exception_ptr &error) { message = describe(error); });
        const auto fail = []() -> Task<void> { co_await failing(); };
        group.spawn(fail());
        QCOMPARE(message, QStringLiteral("no"));
        QVERIFY(group.empty());
    }

    void groupSaysWhenItIsEmpty()
    {
        Event event;
        bool unwound = false;
        bool finished = false;
        TaskGroup group;
        group.spawn(waitWithWitness(event, unwound, finished));
        bool drained = false;
        TaskGroup other;
        const auto watch = [&]() -> Task<void> {
            co_await group.drained();
            drained = true;
        };
        other.spawn(watch());
        QVERIFY(!drained);
        event.set();
        QVERIFY(drained);
    }

    void futureIsEager()
    {
        Promise<int> promise;
        Future<int> future = promise.future();
        promise.set(7);
        QVERIFY(future.ready());
        const auto get = [&]() -> Task<int> {
            const int value = co_await future;
            co_return value;
        };
        QCOMPARE(await(get()), 7);
    }

    void futureOfADroppedPromiseFails()
    {
        auto promise = std::make_unique<Promise<int>>();
        Future<int> future = promise->future();
        promise.reset();
        const auto get = [&]() -> Task<int> {
            const int value = co_await future;
            co_return value;
        };
        QVERIFY_THROWS_EXCEPTION(BrokenPromise, await(get()));
    }

    void anAbandonedFutureResumesNoTask()
    {
        Promise<int> promise;
        bool resumed = false;
        {
            TaskGroup group;
            const auto wait = [&]() -> Task<void> {
                Future<int> future = promise.future();
                const int value = co_await future;
                resumed = value == 1;
            };
            group.spawn(wait());
        }
        promise.set(1);
        QVERIFY(!resumed);
    }

    void offloadedWorkAnswersOnTheLoop()
    {
        QtLoop loop;
        Qt::HANDLE worker = nullptr;
        bool done = false;
        loop.offload([&] { worker = QThread::currentThreadId(); }, [&] { done = true; });
        QVERIFY(QTest::qWaitFor([&] { return done; }));
        QVERIFY(worker != QThread::currentThreadId());
    }

    // Qt's own timers take 25 to 49 days for a negative time, and more for whatever is left of it in 32 bits.
    // A look may wait for a server as long as there is none.
    void aPauseAfterAnOutageHasAnEnd()
    {
        const PauseAfter pause{.factor = 4, .shortest = 2s, .longest = 30s};
        QCOMPARE(pause(Duration::zero()), Duration(2s));
        QCOMPARE(pause(Duration(3s)), Duration(12s));
        QCOMPARE(pause(Duration(8s)), Duration(30s));
        QCOMPARE(pause(Duration::max()), Duration(30s));
    }

    void aDelayMayBeOfAnyLength()
    {
        QtLoop loop;
        std::vector<Timer> timers;
        int fired = 0;
        for (const Duration delay : {Duration(std::chrono::hours(24 * 30)), Duration(std::chrono::seconds(4294968)),
                                     Duration(std::chrono::hours(24 * 365)), Duration::max()})
            timers.push_back(loop.after(delay, [&fired] { fired += 100; }));
        timers.push_back(loop.after(std::chrono::milliseconds(300), [&fired] { ++fired; }));
        timers.push_back(loop.after(Duration::min(), [&fired] { ++fired; }));
        timers.push_back(loop.after(std::chrono::milliseconds(1000), [&fired] { ++fired; }));
        QVERIFY(QTest::qWaitFor([&] { return fired >= 3; })); // 4294968 s are 704 ms in 32 bits
        QCOMPARE(fired, 3);
    }

    // No test can suspend the machine, but the kernel says which clock the timers use.
    void timersGoOnWhileTheMachineSleeps()
    {
        const QByteArrayList others = clocksOfTimers();
        const QtLoop loop;
        QByteArrayList clocks = clocksOfTimers();
        for (const QByteArray &other : others)
            clocks.removeOne(other);
        QCOMPARE(clocks, QByteArrayList{QByteArray::number(CLOCK_BOOTTIME)});
    }

    void aTimersCallbackMayDoAnything()
    {
        auto loop = std::make_unique<QtLoop>();
        std::vector<int> order;
        Timer cancelled = loop->after(std::chrono::milliseconds(2), [&order] { order.push_back(0); });
        Timer own;
        Timer nested;
        own = loop->after(std::chrono::milliseconds(1), [&] {
            cancelled.cancel();
            own.cancel(); // itself
            bool inner = false;
            nested = loop->after(std::chrono::milliseconds(1), [&inner] { inner = true; });
            QVERIFY(QTest::qWaitFor([&] { return inner; })); // a loop within the loop
            order.push_back(1);
            own = loop->after({}, [&order] { order.push_back(2); });
            loop.reset(); // the timers stay
        });
        QVERIFY(QTest::qWaitFor([&] { return order.size() == 2; }));
        QCOMPARE(order, (std::vector<int>{1, 2}));
    }

    // As files do whose server is dead.
    void hungFilesDelayNoOtherWork()
    {
        const int hanging = 4 * QThread::idealThreadCount();
        QSemaphore thaw;
        int done = 0;
        QtLoop loop;
        for (int i = 0; i < hanging; ++i)
            loop.offload([&thaw] { thaw.acquire(); }, [&done] { ++done; });
        bool answered = false;
        loop.offload([] {}, [&answered] { answered = true; });
        const bool inTime = QTest::qWaitFor([&] { return answered; });
        thaw.release(hanging);
        QVERIFY(inTime);
        QVERIFY(QTest::qWaitFor([&] { return done == hanging; }));
    }
};

QTEST_GUILESS_MAIN(TaskTest)
#include "task_test.moc"
