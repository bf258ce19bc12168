#include "interop/contention_run.h"
#include "interop/interop_fixture.h"
#include "recipes/queues/locking_queue.h"
#include "recipes/queues/queue.h"

#include <QJsonArray>
#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr int ItemsEach = 100;

// The two kinds of queue, used alike.
async::Task<void> put(Queue &queue, QByteArray item)
{
    co_await queue.offer(item);
}

async::Task<void> put(LockingQueue &queue, QByteArray item)
{
    co_await queue.put(item);
}

async::Task<QByteArray> take(Queue &queue)
{
    QByteArray item = co_await queue.take();
    co_return item;
}

async::Task<QByteArray> take(LockingQueue &queue)
{
    ClaimedItem claim = co_await queue.get();
    const QByteArray item = claim.data();
    const bool done = co_await claim.consume();
    if (!done)
        throw std::runtime_error("an item that we had claimed was consumed by another");
    co_return item;
}

template <typename AnyQueue>
async::Task<void> produce(AnyQueue &queue)
{
    for (int i = 0; i < ItemsEach; ++i)
        co_await put(queue, "drover-" + QByteArray::number(i));
}

// Until it meets "stop", and no more than its share: the others are to have some, too.
template <typename AnyQueue>
async::Task<void> consume(AnyQueue &queue, QByteArrayList &items)
{
    while (items.size() < ItemsEach) {
        const QByteArray item = co_await take(queue);
        if (item == "stop")
            co_return;
        items << item;
    }
}

} // namespace

// Clients of all libraries fill and empty one queue.
class QueuesTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<InteropFixture> m_fixture;

    ForeignPeer &curator() { return m_fixture->curator(); }
    ForeignPeer &kazoo() { return m_fixture->kazoo(); }
    zk::Client &ours(std::size_t index) { return m_fixture->ours(index); }

    // All take while all put. Once everything is in the queue, each taker is sent home by an item of its own.
    template <typename AnyQueue>
    void everyItemOnce(const QByteArray &recipe, const std::vector<ForeignPeer *> &peers)
    {
        const zk::Path path("/all-" + recipe);
        const QByteArray here = ' ' + path.bytes() + ' ';
        AnyQueue puts(ours(1), path);
        AnyQueue takes(ours(2), path);
        OurTasks producer;
        OurTasks consumer;
        QByteArrayList items;
        QByteArrayList expected;
        await(put(puts, "first")); // makes the directories
        consumer.spawn(consume(takes, items));
        for (ForeignPeer *const peer : peers)
            peer->tell("taker", recipe + " drain" + here);
        producer.spawn(produce(puts));
        for (ForeignPeer *const peer : peers)
            peer->tell("putter", recipe + " produce" + here + QByteArray::number(ItemsEach) + ' ' + peer->name() + '-');
        for (ForeignPeer *const peer : peers)
            await(peer->answer("putter"));
        producer.finish();
        for (std::size_t i = 0; i < 1 + peers.size(); ++i)
            await(put(puts, "stop"));
        consumer.finish();
        expected << "first";
        for (int i = 0; i < ItemsEach; ++i)
            expected << "drover-" + QByteArray::number(i);
        for (ForeignPeer *const peer : peers) {
            const QJsonObject answer = await(peer->answer("taker"));
            for (const QJsonValue &item : answer[u"items"].toArray())
                items << item.toString().toUtf8();
            for (int i = 0; i < ItemsEach; ++i)
                expected << peer->name() + '-' + QByteArray::number(i);
        }
        std::sort(items.begin(), items.end());
        std::sort(expected.begin(), expected.end());
        QCOMPARE(items, expected);
    }

private Q_SLOTS:
    void initTestCase() { m_fixture = std::make_unique<InteropFixture>(); }
    void cleanupTestCase() { m_fixture.reset(); }

    void oneQueueForAll() { everyItemOnce<Queue>("queue", {&curator(), &kazoo()}); }
    void zooKeepersOwnQueue() { everyItemOnce<Queue>("zkqueue", {&curator()}); }
    void oneLockingQueueForBoth() { everyItemOnce<LockingQueue>("lockingqueue", {&kazoo()}); }

    void inTheOrderOfArrival()
    {
        const zk::Path path("/order");
        Queue queue(ours(1), path);
        const auto theirs = [&](ForeignPeer &peer) {
            return peer.ask("a", "queue take " + path.bytes())[u"data"].toString().toUtf8();
        };
        const std::vector<std::function<QByteArray()>> takers = {
            [&] { return await(queue.take()); },
            [&] { return theirs(curator()); },
            [&] { return theirs(kazoo()); },
        };
        for (const auto &next : takers) {
            for (int i = 0; i < 6; i += 3) {
                curator().ask("a", "queue put " + path.bytes() + ' ' + QByteArray::number(i));
                await(queue.offer(QByteArray::number(i + 1)));
                kazoo().ask("a", "queue put " + path.bytes() + ' ' + QByteArray::number(i + 2));
            }
            for (int i = 0; i < 6; ++i)
                QCOMPARE(next(), QByteArray::number(i));
        }
        QVERIFY(!await(queue.poll()));
    }

    void aClaimIsSeenByTheOther()
    {
        const zk::Path path("/claims");
        const QByteArray here = ' ' + path.bytes();
        LockingQueue queue(ours(1), path);
        const auto theirs = [&] { return kazoo().ask("a", "lockingqueue get" + here)[u"data"].toString(); };
        kazoo().ask("a", "lockingqueue put" + here + " 200 last");
        await(queue.put("first", 50));
        kazoo().ask("a", "lockingqueue put" + here + " 100 second");

        QCOMPARE(theirs(), QStringLiteral("first"));
        ClaimedItem second = await(queue.get());
        QCOMPARE(second.data(), QByteArray("second"));
        ClaimedItem last = await(queue.get());
        QCOMPARE(last.data(), QByteArray("last"));
        QVERIFY(!await(queue.get(100ms)));

        QVERIFY(kazoo().ask("a", "lockingqueue release" + here)[u"done"].toBool());
        ClaimedItem first = await(queue.get());
        QCOMPARE(first.data(), QByteArray("first"));
        QVERIFY(await(first.consume()));
        last.release();
        QCOMPARE(theirs(), QStringLiteral("last"));
        QVERIFY(kazoo().ask("a", "lockingqueue consume" + here)[u"done"].toBool());
        QVERIFY(await(second.consume()));
        QCOMPARE(await(queue.size()), 0);
    }
};

QTEST_GUILESS_MAIN(QueuesTest)
#include "queues_test.moc"
