#include "core/jobs/job_cluster.h"
#include "jobs/events/event_feed.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// How often the feed looks, and how soon it reports.
class EventPaceTest : public QObject
{
    Q_OBJECT

    struct Watcher {
        explicit Watcher(JobCluster &fake) : feed(fake.cluster(1), [this](const Event &) { ++reported; })
        {
            running.spawn(feed.run());
            fake.settle(1s);
        }

        int reported = 0; // events
        EventFeed feed;
        async::TaskGroup running{[](const std::exception_ptr &) {}};
    };

private Q_SLOTS:
    // Hundreds of jobs come at once. The feed reports each of them after a few listings.
    void aBurstIsReportedInFewReads()
    {
        JobCluster fake(2);
        const Watcher watcher(fake);
        for (int i = 0; i < 300; ++i)
            fake.submit();
        const quint64 before = fake[1].counters().requests;
        fake.settle(5s);
        QCOMPARE(watcher.reported, 300);
        QVERIFY(fake[1].counters().requests - before <= 300 + 20);
    }

    // The connection breaks while a new job is read. The look has an end 20 s later, and the next one soon after.
    void anOutageIsNotTakenForASlowServer()
    {
        JobCluster fake(1);
        bool isReading = false;
        fake.add({.sessionTimeout = 1min, .latency = 1ms, .sabotage = [&](zk::Request &request) {
                      const auto *get = std::get_if<zk::GetRequest>(&request);
                      isReading |= get && get->path.parent() == fake.layout.queue("default");
                  }});
        const Watcher watcher(fake);
        fake.submit();
        QVERIFY(fake.world.runUntil([&] { return isReading; }));
        fake.session(1).disconnectFor(20s);
        fake.settle(21s);
        QCOMPARE(watcher.reported, 1);
        fake.submit();
        fake.settle(3s);
        QCOMPARE(watcher.reported, 2);
    }
};

QTEST_GUILESS_MAIN(EventPaceTest)
#include "event_pace_test.moc"
