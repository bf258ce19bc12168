#include "workers/candidate.h"
#include "workers/master/arrays/gang_cluster.h"
#include "workers/master/base/supervise.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

zk::AccessDenied denial()
{
    return zk::AccessDenied(zk::Code::NoAuth, QStringLiteral("foreign"));
}

// What it looks at can be read for `works` each time, and fails then.
struct Flaky {
    zk::Client &zk;
    async::Duration works;
    int looks = 0;

    async::Task<void> look()
    {
        ++looks;
        co_await async::sleepFor(zk.loop(), works);
        throw denial();
    }
};

QRegularExpression warning(const char *text)
{
    return QRegularExpression(QString::fromLatin1(text));
}

// A master, session 1, that may not list one directory for a while.
class DeniedCluster : public WorkerCluster
{
public:
    DeniedCluster(int size, bool (*isDenied)(const zk::Path &)) : WorkerCluster(1)
    {
        add({.sabotage = [this, isDenied](zk::Request &request) {
            if (!denied || !std::holds_alternative<zk::ChildrenRequest>(request) || !isDenied(zk::pathOf(request)))
                return;
            ++refused;
            throw denial();
        }});
        for (int i = 2; i < size; ++i)
            add();
    }

    bool denied = true;
    int refused = 0;
};

} // namespace

// What is watched as long as a session lives, and cannot be read for a while.
class SuperviseTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(warning("until")); }
    void aFailedLookIsRepeatedAndReportedOnce()
    {
        FakeCluster fake(1);
        Flaky flaky{fake[0], 1s};
        int failures = 0;
        QTest::ignoreMessage(QtWarningMsg, warning("^nothing is known until it is: .*foreign"));
        async::TaskGroup tasks;
        tasks.spawn(workers::superviseWatch(
            fake[0], QStringLiteral("nothing is known until it is"), [&] { return flaky.look(); },
            [&] { ++failures; }));
        fake.settle(59s);
        QCOMPARE(flaky.looks, 10);
        QCOMPARE(failures, 10);
        flaky.works = 1h;
        fake.settle(30min);
        QCOMPARE(flaky.looks, 11);
        QTest::ignoreMessage(QtWarningMsg, warning("^nothing is known until it is: ")); // it had worked in between
        fake.settle(31min);
        QCOMPARE(flaky.looks, 12);
    }

    void itEndsWithTheSession()
    {
        FakeCluster fake(1);
        const auto lose = []() -> async::Task<void> {
            throw zk::SessionLost(QStringLiteral("gone"));
            co_return;
        };
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, fake.run(workers::superviseWatch(fake[0], QString(), lose)));
    }

    // No gang of the cluster had its turn any more.
    void workersThatCouldNotBeListedAreFound()
    {
        DeniedCluster fake(4, [](const zk::Path &path) { return path.name() == "members"; });
        for (int i = 0; i < 2; ++i) // the watch and the list of those who are there
            QTest::ignoreMessage(QtWarningMsg, warning("^gangs are measured against the workers of before until"));
        const Leading master(fake, 1);
        const Working first(fake, 2);
        const JobId id = fake.submit(gangOf(2));
        fake.settle(1min);
        QVERIFY(fake.refused > 10);
        QVERIFY(!fake.exists(fake.layout.gang(id, 0)));
        fake.denied = false;
        fake.settle(10s);
        const Working second(fake, 3);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(fake);
    }

    // The master never saw that a member was lost.
    void aRoundThatCouldNotBeListedIsWatched()
    {
        DeniedCluster fake(5, [](const zk::Path &path) { return path.parent().name() == "gangs"; });
        QTest::ignoreMessage(QtWarningMsg, warning("^a round of a gang counts as unchanged until"));
        const Leading master(fake, 1);
        const Working first(fake, 2, {}, 10h);
        auto second = std::make_unique<Working>(fake, 3, Working::options(1), 10h);
        const JobId id = fake.submit(gangOf(2));
        fake.settle(30s);
        QVERIFY(fake.refused > 3);
        QCOMPARE(runsOf(id, {&first, second.get()}).size(), 2u);
        fake.denied = false;
        fake.settle(10s);
        const Working third(fake, 4, {}, 10h);
        fake.session(3).crash();
        second.reset();
        fake.settle(1min);
        QCOMPARE(runsOf(id, {&first, &third}).size(), 3u); // the second round's and one of the first
    }
};

QTEST_GUILESS_MAIN(SuperviseTest)
#include "supervise_test.moc"
