// How fast a Session is: build/release/tests/session_bench [host:port]. Starts a server of its own without an address.

#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QCoreApplication>

#include <cstdio>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;

namespace {

constexpr int Window = 1000; // requests under way

Task<void> sequentialGets(Session &session, int count)
{
    for (int i = 0; i < count; ++i) {
        const Answer<Node> got = co_await session.get(Path("/bench"));
        got.require();
    }
}

Task<void> pipelinedGets(Session &session, int count)
{
    for (int done = 0; done < count; done += Window) {
        std::vector<Reply<Node>> replies;
        for (int i = 0; i < Window; ++i)
            replies.push_back(session.get(Path("/bench")));
        for (const Reply<Node> &reply : replies) {
            const Answer<Node> got = co_await reply;
            got.require();
        }
    }
}

Task<void> creates(Session &session, int count)
{
    for (int done = 0; done < count; done += Window) {
        std::vector<Reply<Created>> replies;
        for (int i = 0; i < Window; ++i)
            replies.push_back(session.create(Path("/bench/n-"), "0123456789", CreateMode::EphemeralSequential));
        for (const Reply<Created> &reply : replies) {
            const Answer<Created> created = co_await reply;
            created.require();
        }
    }
}

Task<void> sequentialCreates(Session &session, int count)
{
    for (int i = 0; i < count; ++i) {
        const Answer<Created> created =
            co_await session.create(Path("/bench/n-"), "0123456789", CreateMode::EphemeralSequential);
        created.require();
    }
}

void measure(const char *what, Session &session, Task<void> (*run)(Session &, int), int count)
{
    test::await(run(session, count / 10 / Window * Window)); // warms up
    const async::TimePoint begin = async::BootClock::now();
    test::await(run(session, count), 10min);
    const std::chrono::duration<double> took = async::BootClock::now() - begin;
    std::printf("%-20s %8.0f /s\n", what, count / took.count());
}

} // namespace

int main(int argc, char *argv[])
{
    QCoreApplication application(argc, argv);
    LocalServerOptions options = test::testServerOptions();
    options.jvmFlags = {};
    test::TestServer server(options);
    if (argc < 2)
        server.start();
    async::QtLoop loop;
    Session session(loop, SessionOptions{argc < 2 ? server.connectString() : QString::fromLocal8Bit(argv[1]), 30s});
    session.open();
    test::await(session.connected());
    test::await(session.ensurePath(Path("/bench")));
    measure("sequential gets", session, sequentialGets, 20'000);
    measure("pipelined gets", session, pipelinedGets, 200'000);
    measure("sequential creates", session, sequentialCreates, 10'000);
    measure("pipelined creates", session, creates, 50'000);
    test::await(session.close());
    return 0;
}
