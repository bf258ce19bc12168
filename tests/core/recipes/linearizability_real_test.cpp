#include "async/or_timeout.h"
#include "async/qt_loop.h"
#include "recipes/blocks/each_session.h"
#include "recipes/locks/mutex.h"
#include "recipes/queues/queue.h"
#include "recipes/values/counter.h"
#include "support/await.h"
#include "support/requests/linearizability.h"
#include "support/sanitized.h"
#include "support/seeded_random.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QTest>

#include <set>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr int Clients = 3;
constexpr int Moves = Sanitized ? 2 : 4; // of the nemesis
const zk::Path LockPath("/linear/lock");
const zk::Path CounterPath("/linear/counter");
const zk::Path QueuePath("/linear/queue");

// The answers that all clients got, by object, and the takes whose outcome only the end of the run shows.
struct Told {
    History lock;
    History counter;
    History queue;
    std::vector<std::pair<int, qint64>> openTakes; // operation, item
    qint64 nextItem = 0;
    int done = 0; // operations of any kind
    int sessionsLost = 0;
    int suspensions = 0;
    bool over = false;
};

// For a moment, or as long as there is a connection: the session cannot expire before its loss is noticed.
async::Task<void> hold(zk::Client &zk)
{
    try {
        co_await async::orTimeout(zk.loop(), zk.interrupted(), 5ms);
    } catch (const async::Timeout &) {
    }
}

async::Task<void> useLock(zk::Client &zk, int client, Told &told)
{
    Mutex mutex(zk, LockPath);
    while (!told.over) {
        const int acquire = told.lock.invoke(client, "acquire", client);
        std::optional<Lock> lock;
        try {
            Lock acquired = co_await mutex.acquire();
            lock.emplace(std::move(acquired));
        } catch (const zk::SessionLost &) {
            told.lock.fail(acquire); // no client has got it
            throw;
        }
        told.lock.ok(acquire);
        co_await hold(zk);
        const int release = told.lock.invoke(client, "release", client);
        lock->release();
        ++told.done;
        try {
            const zk::Answer<zk::Nothing> synced = co_await zk.sync(LockPath); // after the deletion
            told.lock.ok(release);
        } catch (const zk::ConnectionLoss &) { // sooner or later, or when the session ends
            told.lock.unknown(release);
        }
    }
}

async::Task<void> useCounter(zk::Client &zk, int client, Told &told)
{
    Counter counter(zk, CounterPath);
    while (!told.over) {
        const int add = told.counter.invoke(client, "add", 1); // stays unknown if the session ends
        const qint64 sum = co_await counter.add(1);
        told.counter.ok(add, sum);
        const int get = told.counter.invoke(client, "get");
        const qint64 number = co_await counter.get();
        told.counter.ok(get, number);
        ++told.done;
        co_await async::sleepFor(zk.loop(), 10ms);
    }
}

async::Task<void> put(zk::Client &zk, int client, Told &told)
{
    Queue queue(zk, QueuePath);
    while (!told.over) {
        const qint64 item = told.nextItem++;
        const int operation = told.queue.invoke(client, "put", item);
        co_await queue.offer(QByteArray::number(item));
        told.queue.ok(operation);
        ++told.done;
        co_await async::sleepFor(zk.loop(), 10ms);
    }
}

async::Task<void> take(zk::Client &zk, int client, Told &told)
{
    Queue queue(zk, QueuePath);
    for (;;) {
        const int operation = told.queue.invoke(client, "take");
        try {
            const QByteArray item = co_await queue.take();
            told.queue.ok(operation, item.toLongLong());
            ++told.done;
            if (item.startsWith('-'))
                co_return; // no more will come
        } catch (const TakenOrNot &error) {
            told.openTakes.emplace_back(operation, error.items().value(0).toLongLong());
            for (const QByteArray &item : error.items().mid(1))
                told.openTakes.emplace_back(told.queue.invoke(client, "take"), item.toLongLong());
            throw;
        } catch (const zk::SessionLost &) {
            told.queue.fail(operation);
            throw;
        }
    }
}

using Operation = async::Task<void> (*)(zk::Client &zk, int client, Told &told);

} // namespace

// Clients use a lock, a counter and a queue. Their answers must be those of single objects, while three real servers
// are killed and paused in turn, so that now and then there is no majority.
class LinearizabilityRealTest : public QObject
{
    Q_OBJECT

    TestEnsemble m_ensemble;
    async::QtLoop m_loop;
    Told m_told;

    std::unique_ptr<zk::Client> connect(std::chrono::milliseconds timeout = 2s)
    {
        zk::SessionOptions options;
        options.servers = m_ensemble.connectString();
        options.timeout = timeout;
        auto session = std::make_unique<zk::Session>(m_loop, options);
        QObject::connect(session.get(), &zk::Client::stateChanged, this, [this](zk::Client::State state) {
            m_told.suspensions += state == zk::Client::State::Suspended ? 1 : 0;
            m_told.sessionsLost += state == zk::Client::State::Lost ? 1 : 0;
        });
        session->open();
        return session;
    }

    async::Task<void> repeat(Operation operation, int client)
    {
        const auto body = [this, operation, client](zk::Client &zk) { return operation(zk, client, m_told); };
        const auto connecting = [this] { return connect(); };
        co_await forEachSession(m_loop, connecting, body);
    }

    // Until clients have got on, or for as long as they are held up by what was done to the servers.
    void letThemWork()
    {
        const int before = m_told.done;
        (void)QTest::qWaitFor([&] { return m_told.done >= before + 60; }, 4000);
    }

    // A take that the end of a session left open took its item, unless another client has got that item.
    void settleTakes()
    {
        std::set<qint64> taken;
        for (const History::Operation &operation : m_told.queue.operations()) {
            if (operation.name == "take" && operation.result)
                taken.insert(*operation.result);
        }
        for (const auto &[operation, item] : m_told.openTakes) {
            if (taken.insert(item).second)
                m_told.queue.ok(operation, item);
            else
                m_told.queue.fail(operation);
        }
    }

    // One item for each taker that tells it to stop: negative numbers.
    async::Task<void> stopTakers()
    {
        const std::unique_ptr<zk::Client> session = connect(20s);
        Queue queue(*session, QueuePath);
        for (qint64 item = -Clients; item < 0; ++item) {
            const int operation = m_told.queue.invoke(0, "put", item);
            co_await queue.offer(QByteArray::number(item));
            m_told.queue.ok(operation);
        }
    }

    async::Task<void> drain()
    {
        const std::unique_ptr<zk::Client> session = connect(20s);
        Queue queue(*session, QueuePath);
        for (;;) {
            const int operation = m_told.queue.invoke(0, "take");
            const std::optional<QByteArray> item = co_await queue.poll();
            if (!item) {
                m_told.queue.ok(operation);
                co_return;
            }
            m_told.queue.ok(operation, item->toLongLong());
        }
    }

private Q_SLOTS:
    void holdsWhateverBecomesOfTheServers();
};

void LinearizabilityRealTest::holdsWhateverBecomesOfTheServers()
{
    const quint64 seed = qEnvironmentVariableIntValue("DROVER_SEED") + 1;
    SeededRandom random(seed);
    m_ensemble.start();
    int elected = m_ensemble.elected(3);
    QVERIFY(elected >= 0);
    std::exception_ptr failure;
    const auto onError = [&](const std::exception_ptr &error) { failure = error; };
    async::TaskGroup takers(onError);
    async::TaskGroup others(onError);
    int client = 1;
    for (int i = 0; i < Clients; ++i) {
        for (const Operation operation : {&useLock, &useCounter, &put})
            others.spawn(repeat(operation, client++));
        takers.spawn(repeat(&take, client++));
    }
    letThemWork();
    for (int move = 0; move < Moves; ++move) {
        const int victim = move % 2 == 0 ? elected : random.below(3);
        const bool kills = random.chance(0.5);
        if (kills)
            m_ensemble.kill9(victim);
        else
            m_ensemble.pause(victim);
        letThemWork();
        if (kills)
            m_ensemble.restart(victim);
        else
            m_ensemble.resume(victim);
        elected = m_ensemble.elected(3);
        letThemWork();
    }
    m_told.over = true;
    QVERIFY(QTest::qWaitFor([&] { return others.empty(); }, 60'000));
    await(stopTakers());
    QVERIFY(QTest::qWaitFor([&] { return takers.empty(); }, 60'000));
    QVERIFY2(!failure, failure ? qPrintable(async::describe(failure)) : "");
    await(drain());
    settleTakes();

    QVERIFY2(m_told.suspensions > 0, "the servers' troubles did not reach the clients: the run proves nothing");
    const auto check = [](const History &history, const Model &model) {
        return violation(history, model).value_or(QString());
    };
    QCOMPARE(check(m_told.lock, lockModel()), QString());
    QCOMPARE(check(m_told.counter, counterModel()), QString());
    QCOMPARE(check(m_told.queue, queueModel(TakeOrder::AnyOrder)), QString());
    qInfo("seed %llu: %d operations, %d broken connections, %d lost sessions", (unsigned long long)seed, m_told.done,
          m_told.suspensions, m_told.sessionsLost);
}

QTEST_GUILESS_MAIN(LinearizabilityRealTest)
#include "linearizability_real_test.moc"
