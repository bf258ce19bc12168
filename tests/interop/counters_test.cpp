#include "interop/contention_run.h"
#include "interop/interop_fixture.h"
#include "recipes/values/counter.h"

#include <QJsonArray>
#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// Clients of all libraries add one to a number, over and over: every sum is made by exactly one of them.
class CountersTest : public QObject
{
    Q_OBJECT

    static constexpr int Times = 20;
    using Sums = std::vector<qint64>;

    std::unique_ptr<InteropFixture> m_fixture;

    struct Foreign {
        ForeignPeer &peer;
        QByteArray client;
    };

    // Adds for as long as the other clients do, so that they do meet. It pauses in between: kazoo waits a tenth of a
    // second when it is refused, doubles that each time, and would hardly come to its turn.
    template <typename Number>
    static async::Task<void> add(BasicCounter<Number> &counter, async::Loop &loop, const bool &others, Sums &sums)
    {
        while (others) {
            const Number sum = co_await counter.add(1);
            sums.push_back(sum);
            co_await async::sleepFor(loop, 5ms);
        }
    }

    template <typename Number>
    void contend(const QByteArray &recipe, const std::vector<Foreign> &foreign)
    {
        const zk::Path path('/' + recipe);
        BasicCounter<Number> counter(m_fixture->ours(1), path);
        BasicCounter<Number> counterToo(m_fixture->ours(2), path);
        bool others = true;
        Sums all;
        OurTasks us;
        us.spawn(add(counter, m_fixture->loop, others, all));
        us.spawn(add(counterToo, m_fixture->loop, others, all));
        for (const auto &[peer, client] : foreign)
            peer.tell(client, recipe + " contend " + path.bytes() + ' ' + QByteArray::number(Times));
        for (const auto &[peer, client] : foreign) {
            const QJsonObject answer = await(peer.answer(client));
            QCOMPARE(answer[u"values"].toArray().size(), Times);
            for (const QJsonValue &sum : answer[u"values"].toArray())
                all.push_back(sum.toInteger());
        }
        others = false;
        us.finish();

        const qint64 count = await(counter.get());
        QVERIFY(count > qint64(foreign.size()) * Times);
        QVERIFY(counter.conflicts() + counterToo.conflicts() > 0); // or they have not met
        std::sort(all.begin(), all.end());
        QCOMPARE(all.size(), std::size_t(count));
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(all[i], qint64(i + 1));
        for (const auto &[peer, client] : foreign)
            QCOMPARE(peer.ask(client, recipe + " get " + path.bytes())[u"value"].toInteger(), count);
    }

private Q_SLOTS:
    void initTestCase() { m_fixture = std::make_unique<InteropFixture>(); }
    void cleanupTestCase() { m_fixture.reset(); }

    void oneAtomicLongForBoth()
    {
        contend<qint64>("counter", {{m_fixture->curator(), "a"}, {m_fixture->curator(), "b"}});
    }

    void oneSharedCountForAll() { contend<qint32>("count", {{m_fixture->curator(), "a"}, {m_fixture->kazoo(), "a"}}); }

    void belowZero()
    {
        const zk::Path path("/below");
        Counter counter(m_fixture->ours(1), path);
        QCOMPARE(await(counter.add(-5'000'000'000)), -5'000'000'000);
        QCOMPARE(m_fixture->curator().ask("a", "counter add /below 7")[u"value"].toInteger(), -4'999'999'993);
        QCOMPARE(await(counter.get()), -4'999'999'993);
    }
};

QTEST_GUILESS_MAIN(CountersTest)
#include "counters_test.moc"
