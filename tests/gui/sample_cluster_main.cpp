// Fills an empty ZooKeeper with the sample cluster and lets its queues rise and fall, for pictures of the console:
//
//     sample_cluster 127.0.0.1:2181
//
// Ends with SIGINT or SIGTERM.
#include "async/qt_loop.h"
#include "gui/sample_cluster.h"
#include "zk/client/session.h"

#include <QCoreApplication>

#include <cmath>
#include <cstdio>
#include <deque>

using namespace drover;
using namespace std::chrono_literals;

namespace {

async::Task<void> live(zk::Client &zk)
{
    test::SampleCluster cluster(zk, "default");
    co_await zk.connected();
    co_await cluster.fill();
    std::puts("filled");
    std::fflush(stdout);
    std::deque<jobs::JobId> waiting;
    for (int tick = 0;; ++tick) {
        const std::size_t depth = std::size_t(25 + 20 * std::sin(tick / 9.0) + tick % 7);
        while (waiting.size() < depth) {
            const jobs::JobSpec spec = test::SampleCluster::spec(
                {QStringLiteral("sleep"), QString::number(1 + tick % 5)}, tick % 3 == 0 ? "nightly" : "gpu");
            const jobs::JobId id = co_await cluster.addJob(spec);
            waiting.push_back(id);
        }
        while (waiting.size() > depth) {
            const QByteArray nothing;
            co_await cluster.finish(waiting.front(), jobs::FinalRecord::Outcome::Exited, 0, nothing);
            waiting.pop_front();
        }
        co_await async::sleepFor(zk.loop(), 500ms);
    }
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    async::QtLoop loop;
    zk::SessionOptions options;
    options.servers = application.arguments().value(1);
    zk::Session session(loop, options);
    session.open();
    async::TaskGroup group([&](const std::exception_ptr &error) {
        std::fprintf(stderr, "sample_cluster: %s\n", qPrintable(async::describe(error)));
        application.exit(1);
    });
    group.spawn(live(session));
    return application.exec();
}
