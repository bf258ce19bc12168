#include "workers/candidate.h"
#include "workers/gang_party.h"
#include "workers/keep_following.h"

#include <QLoggingCategory>
#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

zk::AccessDenied denial()
{
    return zk::AccessDenied(zk::Code::NoAuth, QStringLiteral("somebody's"));
}

// What it looks at can be read for `works` each time, and fails then.
struct Flaky {
    zk::Coordinator &zk;
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
class DeniedParty : public WorkerParty
{
public:
    DeniedParty(int size, bool (*isDenied)(const zk::Path &)) : WorkerParty(1)
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
class KeepFollowingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(warning("until")); }
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void itLooksAgainAndTellsOnce()
    {
        FakeParty party(1);
        Flaky flaky{party[0], 1s};
        int failures = 0;
        QTest::ignoreMessage(QtWarningMsg, warning("^nothing is known until it is: .*somebody's"));
        async::TaskGroup tasks;
        tasks.spawn(workers::keepFollowing(
            party[0], QStringLiteral("nothing is known until it is"), [&] { return flaky.look(); },
            [&] { ++failures; }));
        party.settle(59s);
        QCOMPARE(flaky.looks, 10);
        QCOMPARE(failures, 10);
        flaky.works = 1h;
        party.settle(30min);
        QCOMPARE(flaky.looks, 11);
        QTest::ignoreMessage(QtWarningMsg, warning("^nothing is known until it is: ")); // it had worked in between
        party.settle(31min);
        QCOMPARE(flaky.looks, 12);
    }

    void itEndsWithTheSession()
    {
        FakeParty party(1);
        const auto lose = []() -> async::Task<void> {
            throw zk::SessionLost(QStringLiteral("gone"));
            co_return;
        };
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, party.run(workers::keepFollowing(party[0], QString(), lose)));
    }

    // No gang of the cluster had its turn any more.
    void workersThatCouldNotBeListedAreFound()
    {
        DeniedParty party(4, [](const zk::Path &path) { return path.name() == "members"; });
        for (int i = 0; i < 2; ++i) // the watch and the list of those who are there
            QTest::ignoreMessage(QtWarningMsg, warning("^gangs are measured against the workers of before until"));
        const Leading master(party, 1);
        const Working first(party, 2);
        const JobId id = party.submit(gangOf(2));
        party.settle(1min);
        QVERIFY(party.refused > 10);
        QVERIFY(!party.exists(party.layout.gang(id, 0)));
        party.denied = false;
        party.settle(10s);
        const Working second(party, 3);
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(party);
    }

    // The master never saw that a member was lost.
    void aRoundThatCouldNotBeListedIsWatched()
    {
        DeniedParty party(5, [](const zk::Path &path) { return path.parent().name() == "gangs"; });
        QTest::ignoreMessage(QtWarningMsg, warning("^a round of a gang is taken for what it was until"));
        const Leading master(party, 1);
        const Working first(party, 2, {}, 10h);
        auto second = std::make_unique<Working>(party, 3, Working::options(1), 10h);
        const JobId id = party.submit(gangOf(2));
        party.settle(30s);
        QVERIFY(party.refused > 3);
        QCOMPARE(runsOf(id, {&first, second.get()}).size(), 2u);
        party.denied = false;
        party.settle(10s);
        const Working third(party, 4, {}, 10h);
        party.session(3).crash();
        second.reset();
        party.settle(1min);
        QCOMPARE(runsOf(id, {&first, &third}).size(), 3u); // the second round's and one of the first
    }
};

QTEST_GUILESS_MAIN(KeepFollowingTest)
#include "keep_following_test.moc"
