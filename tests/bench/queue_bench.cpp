// How fast Queue is: build/release/tests/queue_bench [consumers [items [round trip in ms [batch]]]]. Starts a server of
// its own. One producer offers in flights of `batch`, each consumer takes as many at once; batch 1 is one by one.

#include "net/delay_relay.h"
#include "recipes/locking_queue.h"
#include "recipes/queue.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/session.h"

#include <QCoreApplication>

#include <cstdio>

using namespace drover;
using namespace drover::recipes;
using namespace std::chrono_literals;
using async::Task;

namespace {

const QByteArray Item(100, 'x');

Task<void> produce(zk::Coordinator &zk, int items, int batch)
{
    Queue queue(zk, zk::Path("/bench/queue"));
    for (int done = 0; done < items; done += batch) {
        const QByteArrayList part(std::min(batch, items - done), Item);
        co_await queue.offerAll(part);
    }
}

Task<void> consume(zk::Coordinator &zk, int batch, int &left)
{
    Queue queue(zk, zk::Path("/bench/queue"));
    while (left > 0) {
        const QByteArrayList items = co_await queue.takeSome(batch);
        left -= static_cast<int>(items.size());
    }
}

Task<void> put(zk::Coordinator &zk, int items, int batch)
{
    LockingQueue queue(zk, zk::Path("/bench/locking"));
    for (int done = 0; done < items; done += batch) {
        const QByteArrayList part(std::min(batch, items - done), Item);
        co_await queue.putAll(part);
    }
}

Task<void> work(zk::Coordinator &zk, int batch, int &left)
{
    LockingQueue queue(zk, zk::Path("/bench/locking"));
    while (left > 0) {
        std::vector<Claim> claims = co_await queue.getSome(batch);
        std::vector<Task<bool>> consuming;
        for (Claim &claim : claims)
            consuming.push_back(claim.consume());
        for (Task<bool> &one : consuming) {
            const bool consumed = co_await one;
            left -= consumed ? 1 : 0;
        }
    }
}

using Sessions = std::vector<std::unique_ptr<zk::Session>>;
using Produce = Task<void> (*)(zk::Coordinator &, int, int);
using Consume = Task<void> (*)(zk::Coordinator &, int, int &);

void measure(const char *what, Sessions &sessions, int items, int batch, Produce producer, Consume consumer)
{
    quint64 before = 0;
    for (const auto &session : sessions)
        before += session->counters().requests;
    const async::TimePoint begin = async::BootClock::now();
    int left = items;
    async::TaskGroup consumers;
    for (std::size_t i = 1; i < sessions.size(); ++i)
        consumers.spawn(consumer(*sessions[i], batch, left));
    test::await(producer(*sessions[0], items, batch), 10min);
    const std::chrono::duration<double> produced = async::BootClock::now() - begin;
    const auto drained = [&]() -> Task<void> {
        while (left > 0)
            co_await async::sleepFor(sessions[0]->loop(), 1ms);
    };
    test::await(drained(), 10min);
    const std::chrono::duration<double> took = async::BootClock::now() - begin;
    quint64 requests = 0;
    for (const auto &session : sessions)
        requests += session->counters().requests;
    std::printf("%-14s %zu consumers, batch %3d: %8.0f items/s (offered at %.0f/s), %.2f requests an item\n", what,
                sessions.size() - 1, batch, items / took.count(), items / produced.count(),
                static_cast<double>(requests - before) / items);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char *argv[])
{
    QCoreApplication application(argc, argv);
    const auto number = [&](int index, int otherwise) { return argc > index ? std::atoi(argv[index]) : otherwise; };
    const int consumers = number(1, 1);
    const int items = number(2, 20'000);
    const int roundTrip = number(3, 0);
    const int batch = number(4, 100);
    zk::LocalServerOptions options = test::testServerOptions();
    options.jvmFlags = {};
    test::TestServer server(options);
    server.start();
    async::QtLoop loop;
    net::DelayRelay relay(server.port(), std::chrono::milliseconds(roundTrip));
    Sessions sessions;
    for (int i = 0; i <= consumers; ++i) {
        const QString address =
            roundTrip > 0 ? QStringLiteral("127.0.0.1:%1").arg(relay.port()) : server.connectString();
        sessions.push_back(std::make_unique<zk::Session>(loop, zk::SessionOptions{address, 30s}));
        sessions.back()->open();
        test::await(sessions.back()->connected());
    }
    measure("warm-up", sessions, items / 4, batch, produce, consume);
    measure("Queue", sessions, items, batch, produce, consume);
    measure("LockingQueue", sessions, items, batch, put, work);
    for (const auto &session : sessions)
        test::await(session->close());
    return 0;
}
