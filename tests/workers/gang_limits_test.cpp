#include "jobs/cancel.h"
#include "jobs/limits.h"
#include "jobs/queue_settings.h"
#include "workers/gang_party.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

QString adviceOf(WorkerParty &party, const JobId &id)
{
    return party.run(explain(party[0], party.layout, id)).reasons.front().advice;
}

} // namespace

// Gangs whose members need permits, of limits and of their queue. Session 0 is the client.
class GangLimitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    // It has no turn that would keep others from theirs, and begins once the limit is raised.
    void whatALimitIsTooLowForWaitsAndKeepsNothing_data()
    {
        QTest::addColumn<bool>("ofQueue");
        QTest::addColumn<int>("permits");
        QTest::newRow("a limit that nobody has set") << false << 0;
        QTest::newRow("a limit") << false << 2;
        QTest::newRow("the queue's limit") << true << 2;
    }
    void whatALimitIsTooLowForWaitsAndKeepsNothing()
    {
        QFETCH(bool, ofQueue);
        QFETCH(int, permits);
        WorkerParty party(3);
        const auto limit = [&](int count) {
            if (ofQueue)
                party.run(limitQueue(party[0], party.layout, "default", count));
            else
                party.run(setLimit(party[0], party.layout, "api", count));
        };
        if (permits > 0)
            limit(permits);
        const Working first(party, 1, 2);
        const Working second(party, 2, 2);
        party.settle(2s);
        JobSpec spec = gangOf(3);
        if (!ofQueue)
            spec.limits.append(QStringLiteral("api"));
        const JobId wide = party.submit(spec);
        party.settle(5min);
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 1);
        QCOMPARE(party.childrenOf(party.layout.gangs()), QByteArrayList());
        QCOMPARE(whyOf(party, wide),
                 ofQueue
                     ? QStringLiteral("its 3 members are to run at the same time, and the limit of queue default is 2")
                     : QStringLiteral("its 3 members need 3 permits of limit api at the same time, which has %1")
                           .arg(permits > 0 ? permits : 1));
        QCOMPARE(adviceOf(party, wide),
                 ofQueue ? QStringLiteral("drover queue limit default 3") : QStringLiteral("drover limit set api 3"));
        const JobId narrow = party.submit(gangOf(2));
        party.settle(1s);
        QCOMPARE(runsOf(narrow, {&first, &second}).size(), 2u);
        party.settle(2min);
        limit(3);
        party.settle(1s);
        QCOMPARE(runsOf(wide, {&first, &second}).size(), 3u);
        party.settle(2min);
        QCOMPARE(party.recordOf(wide).state(), JobState::Succeeded);
        QCOMPARE(party.recordOf(wide).attempt, 1);
        expectNothingLeft(party);
    }

    // Each has room for one: none takes more of them than that while they wait for their permits.
    void membersUnderALimitAreSharedOut()
    {
        WorkerParty party(9);
        party.run(setLimit(party[0], party.layout, "api", 8));
        std::vector<std::unique_ptr<Working>> workers;
        std::vector<const Working *> all;
        for (int i = 1; i <= 8; ++i) {
            workers.push_back(std::make_unique<Working>(party, i));
            all.push_back(workers.back().get());
        }
        party.settle(2s);
        JobSpec spec = gangOf(8);
        spec.limits.append(QStringLiteral("api"));
        const JobId id = party.submit(spec);
        party.settle(5s);
        QCOMPARE(runsOf(id, all).size(), 8u);
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(party);
    }

    // After the round that the lower limit has cost.
    void aLimitThatIsLoweredWhileAGangAssemblesEndsItsTurn()
    {
        WorkerParty party(3);
        party.run(setLimit(party[0], party.layout, "api", 2));
        const Working first(party, 1, Working::options(2), 10h);
        party.settle(2s);
        const Working second(party, 2, Working::options(2), 10h);
        party.settle(2s);
        JobSpec spec = gangOf(2);
        spec.needs.slots = 2;
        spec.limits.append(QStringLiteral("api"));
        const JobId id = submitShortOf(party, 2, spec);
        party.settle(2s);
        QVERIFY(whyOf(party, id).startsWith(QStringLiteral("it assembles: 1 of 2 members have a place\n")));
        party.run(setLimit(party[0], party.layout, "api", 1));
        QVERIFY2(whyOf(party, id).startsWith(QStringLiteral("its 2 members need 2 permits of limit api")),
                 qPrintable(whyOf(party, id)));
        party.settle(5min);
        makeRoom(party, 2);
        party.settle(5min);
        QCOMPARE(party.childrenOf(party.layout.gangs()), QByteArrayList());
        QVERIFY(runsOf(id, {&first, &second}).empty());
        party.run(setLimit(party[0], party.layout, "api", 2));
        party.settle(1s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        party.run(cancel(party[0], party.layout, id));
        party.settle(5s);
        QCOMPARE(party.recordOf(id).attempt, 2);
    }
};

QTEST_GUILESS_MAIN(GangLimitsTest)
#include "gang_limits_test.moc"
