#include "async/event.h"
#include "async/task.h"
#include "async/task_group.h"

#include <QTest>

#include <set>

// Whether this compiler translates the forms that "await to a name" allows (core/async/README.md). Each coroutine here
// is full of objects that notice when one of them is destroyed twice, never, or without having been made.

using namespace drover::async;

namespace {

class Tracked
{
public:
    explicit Tracked(int value) : m_value(value) { enter(); }
    Tracked(const Tracked &other) : m_value(other.m_value) { enter(); }
    Tracked(Tracked &&other) noexcept : m_value(std::exchange(other.m_value, -1)) { enter(); }
    Tracked &operator=(const Tracked &) = default;
    ~Tracked() { s_faults += s_alive.erase(this) != 1; }

    int value() const { return m_value; }

    static qsizetype alive() { return qsizetype(s_alive.size()); }
    static int faults() { return s_faults; }
    static void forget()
    {
        s_alive.clear();
        s_faults = 0;
    }

private:
    void enter() { s_faults += !s_alive.insert(this).second; }

    static inline std::set<const void *> s_alive;
    static inline int s_faults = 0;
    int m_value;
};

struct Refused : std::runtime_error {
    Refused() : std::runtime_error("refused") { }
};

Task<Tracked> give(int value)
{
    const Tracked local(value);
    co_return local;
}

Task<Tracked> giveBack(Tracked value)
{
    co_return value;
}

Task<int> sumOf(Tracked a, const Tracked b, std::string text)
{
    const Tracked local = a;
    co_return local.value() + b.value() + int(text.size());
}

Task<void> refuse(Tracked value)
{
    const Tracked local = value;
    if (local.value() >= 0)
        throw Refused();
    co_return;
}

Task<void> pause(Event &event)
{
    co_await event.wait();
}

Task<int> wholeStatement()
{
    const Tracked local(1);
    co_await give(2);
    co_await giveBack(Tracked(3));
    co_return local.value();
}

Task<int> wholeInitialiser()
{
    const Tracked a = co_await give(1);
    const Tracked &b = co_await giveBack(a);
    auto c = co_await giveBack(b);
    const int sum = co_await sumOf(a, std::move(c), "a text too long for the string itself to hold");
    co_return sum - 45 + b.value();
}

Task<int> wholeAssignment()
{
    Tracked plain(1);
    std::optional<Tracked> optional;
    for (int i = 0; i < 3; ++i) {
        plain = co_await give(i);
        if (i > 0)
            optional = co_await giveBack(plain);
    }
    co_return plain.value() + optional->value();
}

Task<Tracked> wholeReturn()
{
    const Tracked local(5);
    co_return co_await giveBack(local);
}

Task<int> insideLoops()
{
    const std::vector<int> numbers = {1, 2, 3};
    int sum = 0;
    for (const int number : numbers) {
        const Tracked got = co_await give(number);
        for (int i = 0; i < number; ++i) {
            const Tracked inner = co_await giveBack(got);
            if (inner.value() == 2 && i == 0)
                continue;
            sum += inner.value();
        }
    }
    while (sum < 100) {
        const Tracked step = co_await give(50);
        sum += step.value();
        if (sum > 90)
            break;
    }
    co_return sum;
}

Task<int> insideTry()
{
    int caught = 0;
    for (int i = 0; i < 3; ++i) {
        const Tracked outside(i);
        try {
            const Tracked inside = co_await give(i);
            co_await refuse(inside);
            caught += 100;
        } catch (const Refused &) {
            ++caught;
        }
        const Tracked after = co_await giveBack(outside);
        caught += after.value();
    }
    co_return caught;
}

Task<int> insideBranches(int choice)
{
    if (choice == 0)
        co_await give(0);
    else
        co_await refuse(Tracked(-1));
    switch (choice) {
    case 0: {
        const Tracked zero = co_await give(10);
        co_return zero.value();
    }
    default:
        co_return co_await insideBranches(choice - 1);
    }
}

Task<int> insideALambda()
{
    const auto twice = [](Tracked value) -> Task<int> {
        const Tracked same = co_await giveBack(value);
        co_return 2 * same.value();
    };
    const int four = co_await twice(Tracked(2));
    co_return four;
}

Task<int> aTaskInAVariable()
{
    Task<Tracked> task = give(7);
    const Tracked local(1);
    const Tracked seven = co_await task;
    Task<Tracked> moved = give(8);
    const Tracked eight = co_await std::move(moved);
    co_return seven.value() + eight.value() + local.value();
}

Task<int> acrossAPause(Event &event)
{
    const Tracked before = co_await give(1);
    try {
        co_await pause(event);
        co_await refuse(before);
    } catch (const Refused &) {
        co_return before.value();
    }
    co_return 0;
}

Task<int> manyReadyTasks(int count)
{
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        const Tracked one = co_await give(1);
        sum += one.value();
    }
    co_return sum;
}

template <typename T>
Task<void> keep(Task<T> task, std::optional<T> &into)
{
    T value = co_await task;
    into.emplace(std::move(value));
}

int numberOf(int value)
{
    return value;
}

int numberOf(const Tracked &value)
{
    return value.value();
}

} // namespace

class CoroutineCanaryTest : public QObject
{
    Q_OBJECT

private:
    // The number a task that needs no event ends with; -1 if it did not end at once.
    template <typename T>
    static int run(Task<T> task)
    {
        std::optional<T> result;
        TaskGroup group;
        group.spawn(keep(std::move(task), result));
        return result ? numberOf(*result) : -1;
    }

private Q_SLOTS:
    void init() { Tracked::forget(); }
    void cleanup()
    {
        QCOMPARE(Tracked::faults(), 0);
        QCOMPARE(Tracked::alive(), 0);
    }

    void trackedNoticesADoubleDestruction()
    {
        alignas(Tracked) std::byte place[sizeof(Tracked)];
        auto *object = new (place) Tracked(1);
        object->~Tracked();
        QCOMPARE(Tracked::faults(), 0);
        object->~Tracked();
        QCOMPARE(Tracked::faults(), 1);
        Tracked::forget();
    }

    void statement() { QCOMPARE(run(wholeStatement()), 1); }
    void initialiser() { QCOMPARE(run(wholeInitialiser()), 3); }
    void assignment() { QCOMPARE(run(wholeAssignment()), 4); }
    void returned() { QCOMPARE(run(wholeReturn()), 5); }
    void loops() { QCOMPARE(run(insideLoops()), 112); }
    void tryBlocks() { QCOMPARE(run(insideTry()), 6); }
    void branches() { QCOMPARE(run(insideBranches(0)), 10); }
    void lambda() { QCOMPARE(run(insideALambda()), 4); }
    void variable() { QCOMPARE(run(aTaskInAVariable()), 16); }

    void pausedAndResumed()
    {
        Event event;
        std::optional<int> result;
        TaskGroup group;
        group.spawn(keep(acrossAPause(event), result));
        QVERIFY(!result);
        QVERIFY(Tracked::alive() > 0);
        event.set();
        QCOMPARE(result, std::optional(1));
    }

    void pausedAndDestroyed()
    {
        Event event;
        std::optional<int> result;
        {
            TaskGroup group;
            group.spawn(keep(acrossAPause(event), result));
            QVERIFY(Tracked::alive() > 0);
        }
        QVERIFY(!result);
    }

    void neverStarted()
    {
        const Task<int> task = sumOf(Tracked(1), Tracked(2), "text");
        QCOMPARE(Tracked::alive(), 2); // the parameters, in the frame
    }

    // Each step resumes its waiter by a tail call, at -O0 and under sanitizers too; otherwise the stack ends long
    // before the loop does.
    void aHundredThousandReadyTasks() { QCOMPARE(run(manyReadyTasks(100'000)), 100'000); }
};

QTEST_GUILESS_MAIN(CoroutineCanaryTest)
#include "coroutine_canary_test.moc"
