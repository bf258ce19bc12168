#include "jobs/cancel.h"
#include "jobs/control.h"
#include "jobs/cordon.h"
#include "jobs/queue_settings.h"
#include "workers/gang_party.h"

#include <QLoggingCategory>
#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Jobs whose members begin together. Session 0 is the client.
class GangTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void membersBeginTogether()
    {
        WorkerParty party(3);
        const Working first(party, 1, 2);
        const Working second(party, 2, 2);
        party.settle(2s);
        const JobId id = party.submit(gangOf(4));
        party.settle(1s);
        const std::vector<Execution> runs = runsOf(id, {&first, &second});
        QCOMPARE(runs.size(), 4u);
        QVERIFY(runs.back().from - runs.front().from < 20ms);
        QSet<QByteArray> ranks;
        for (const Execution &run : runs) {
            QVERIFY(run.environment.contains("DROVER_GANG_SIZE=4"));
            QVERIFY(run.environment.contains("DROVER_GANG_ID=" + id.bytes()));
            QVERIFY(!run.environment.contains("DROVER_ARRAY_ID=" + id.bytes()));
            for (const QByteArray &variable : run.environment) {
                if (variable.startsWith("DROVER_GANG_RANK="))
                    ranks.insert(variable);
                if (variable.startsWith("DROVER_GANG_WORKERS="))
                    QCOMPARE(variable.count("w1") * variable.count("w2"), 4);
            }
        }
        QCOMPARE(ranks.size(), 4);
        QCOMPARE(whyOf(party, id), QStringLiteral("its 4 members have begun together"));
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(party.recordOf(id).reason, QStringLiteral("all 4 members have succeeded"));
        expectNothingLeft(party);
    }

    void itRunsFromItsBeginningNotFromItsAssembling()
    {
        WorkerParty party(3);
        const Working first(party, 1, Working::options(1, {QStringLiteral("a")}), 10h);
        const Working second(party, 2, Working::options(1), 10h);
        party.settle(2s);
        JobSpec hog = JobParty::spec();
        hog.needs.labels.append(QStringLiteral("a"));
        const JobId busy = party.submit(hog);
        party.settle(1s);
        const JobId id = party.submit(gangOf(2));
        party.settle(30s);
        QCOMPARE(party.run(lookUp(party[0], party.layout, id)).state, JobState::Ready);
        const std::chrono::milliseconds free = party.world.wallClock();
        party.run(cancel(party[0], party.layout, busy));
        party.settle(20s);
        const JobView running = party.run(lookUp(party[0], party.layout, id));
        QCOMPARE(running.state, JobState::Running);
        QVERIFY(running.since >= free);
        party.run(cancel(party[0], party.layout, id));
        party.settle(20s);
        const FinalRecord record = party.recordOf(id);
        QVERIFY(record.startedAt >= free);
        QVERIFY(record.startedAt < record.finishedAt);
    }

    void whatNeverFitsWaitsAndKeepsNothing()
    {
        WorkerParty party(3);
        const Working first(party, 1, 2);
        party.settle(2s);
        const JobId id = party.submit(gangOf(3));
        party.settle(5min);
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 1);
        QCOMPARE(whyOf(party, id),
                 QStringLiteral(
                     "its 3 members need a place each at the same time, and the workers of queue default have 2"));
        const JobId plain = party.submit();
        party.settle(2min);
        QCOMPARE(party.recordOf(plain).state(), JobState::Succeeded);
        const Working second(party, 2, 1);
        party.settle(2min);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 3u);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(party);
    }

    // Three have a place when a worker with two of them dies.
    void aWorkerThatDiesBeforeAllAreThereIsReplaced()
    {
        WorkerParty party(5);
        const Working first(party, 1, 1);
        auto second = std::make_unique<Working>(party, 2, 2);
        const Working cordoned(party, 4, 1);
        party.settle(2s);
        const JobId id = submitShortOf(party, 4, gangOf(4));
        party.settle(2s);
        QVERIFY2(whyOf(party, id).contains(QStringLiteral("3 of 4 members have a place")),
                 qPrintable(whyOf(party, id)));
        party.session(2).crash();
        second.reset();
        party.settle(10s);
        QVERIFY(runsOf(id, {&first}).empty());
        const Working third(party, 3, 3);
        party.settle(3min);
        QCOMPARE(runsOf(id, {&first, &third}).size(), 4u);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(party.recordOf(id).attempt, 1);
        expectNothingLeft(party);
    }

    void aMemberThatFailsEndsTheOthersAndIsNotTriedAgainAlone()
    {
        WorkerParty party(3);
        Working first(party, 1, 1);
        const Working second(party, 2, {}, 10h);
        first.setFailures(1);
        party.settle(2s);
        JobSpec spec = gangOf(2);
        spec.retry = {1, {}, 5s, 5s};
        const JobId id = party.submit(spec);
        party.settle(2min);
        std::vector<Execution> runs = runsOf(id, {&first, &second});
        QCOMPARE(runs.size(), 4u); // two rounds
        QVERIFY(runs[2].from - runs[1].from > 5s);
        for (const Execution &run : runs)
            QVERIFY(run.until != async::TimePoint::max());
        QVERIFY(abs(runs[0].until - runs[1].until) < 1s);
        const FinalRecord record = party.recordOf(id);
        QCOMPARE(record.state(), JobState::Failed);
        QCOMPARE(record.exitCode(), 1);
        QVERIFY2(record.reason.contains(QStringLiteral("failed with 1, in round 2")), qPrintable(record.reason));
        expectNothingLeft(party);
    }

    void aMemberThatIsLostBringsAllBackInAnotherRound()
    {
        WorkerParty party(4);
        const Working first(party, 1, {}, 10h);
        auto second = std::make_unique<Working>(party, 2, Working::options(1), 10h);
        party.settle(2s);
        const JobId id = party.submit(gangOf(2));
        party.settle(1s);
        QCOMPARE(runsOf(id, {&first, second.get()}).size(), 2u);
        party.session(2).crash();
        second.reset();
        party.settle(30s);
        QCOMPARE(runsOf(id, {&first}).size(), 1u);
        QVERIFY(first.latest().until != async::TimePoint::max());
        QVERIFY2(whyOf(party, id).contains(QStringLiteral("round 2")), qPrintable(whyOf(party, id)));
        const Working third(party, 3);
        party.settle(5s);
        QCOMPARE(runsOf(id, {&first, &third}).size(), 3u);
        party.run(cancel(party[0], party.layout, id));
        party.settle(5s);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(first.latest().until != async::TimePoint::max());
        expectNothingLeft(party);
    }

    // The first of two gangs cannot get all its places: the other has its turn when the time of that is up.
    void aGangThatDoesNotAssembleLeavesItsTurn()
    {
        WorkerParty party(3);
        const Working first(party, 1, Working::options(1, {QStringLiteral("a")}), 10h);
        const Working second(party, 2, 2);
        party.settle(2s);
        const JobId wide = submitShortOf(party, 1, gangOf(3));
        const JobId narrow = party.submit(gangOf(2));
        party.settle(30s);
        QVERIFY2(whyOf(party, wide).contains(QStringLiteral("2 of 3 members have a place")),
                 qPrintable(whyOf(party, wide)));
        QVERIFY2(whyOf(party, narrow).contains(QStringLiteral("have 0 free: it begins when")),
                 qPrintable(whyOf(party, narrow)));
        party.settle(40s);
        QCOMPARE(runsOf(narrow, {&second}).size(), 2u);
        QVERIFY(runsOf(wide, {&first, &second}).empty());
        party.settle(5min);
        QCOMPARE(party.recordOf(narrow).state(), JobState::Succeeded);
        for (const QByteArray &name : party.childrenOf(party.layout.done())) // of members that never began
            QVERIFY2(!name.startsWith(wide.bytes() + '.'), name.constData());
        party.run(cancel(party[0], party.layout, wide));
        party.settle(5s);
        QCOMPARE(party.recordOf(wide).state(), JobState::Cancelled);
        QCOMPARE(party.childrenOf(party.layout.gangs()), QByteArrayList());
    }

    // Found by a reader: it kept all slots that got free for up to an hour at a time, and others waited.
    void aGangThatLacksFreePlacesKeepsNone()
    {
        WorkerParty party(2);
        const Working working(party, 1, Working::options(6), 10h);
        party.settle(2s);
        for (int i = 0; i < 4; ++i)
            party.submit();
        party.settle(1s);
        const JobId wide = party.submit(gangOf(3));
        party.settle(10s);
        QCOMPARE(
            whyOf(party, wide),
            QStringLiteral("its 3 members need a place each at the same time, and the workers of queue default have 2 "
                           "free: it begins when enough are free, or are expected to be within minutes"));
        const JobId narrow = party.submit(gangOf(2));
        party.settle(1s);
        QCOMPARE(runsOf(narrow, {&working}).size(), 2u);
        party.run(cancel(party[0], party.layout, narrow));
        party.settle(10min);
        const JobId plain = party.submit();
        party.settle(1s);
        QVERIFY(working.began(plain));
        QVERIFY(!party.exists(party.layout.gang(wide, 0)));
        party.run(cancel(party[0], party.layout, plain));
        party.run(cancel(party[0], party.layout, JobId{"default", 0}));
        party.settle(20s);
        QCOMPARE(runsOf(wide, {&working}).size(), 3u);
    }

    // There is never a free place, but they come free soon.
    void aGangIsNotStarvedByJobsThatFollowOneAnother()
    {
        WorkerParty party(2);
        const Working working(party, 1, Working::options(4), 20s);
        for (int i = 0; i < 400; ++i)
            party.submit();
        party.settle(10s);
        JobSpec urgent = gangOf(4); // otherwise those that came before it begin before it
        urgent.priority = 4;
        const JobId id = party.submit(urgent);
        party.settle(5min);
        QCOMPARE(runsOf(id, {&working}).size(), 4u);
        QVERIFY(party.ready().size() > 200);
    }

    // It had the turn for its time, though nobody could claim its members.
    void whereNobodyClaimsNoGangHasItsTurn()
    {
        WorkerParty party(3);
        const Working first(party, 1, 2);
        const Working second(party, 2, 1);
        party.settle(2s);
        const auto setPaused = [&](bool paused) {
            const auto change = [paused](QueueSettings &settings) { settings.paused = paused; };
            party.run(changeQueue(party[0], party.layout, "default", change));
        };
        setPaused(true);
        const JobId id = party.submit(gangOf(3));
        party.settle(1min);
        QVERIFY(!party.exists(party.layout.gang(id, 0)));
        party.run(cordon(party[0], party.layout, "w2", Cordon()));
        setPaused(false);
        party.settle(1min);
        QVERIFY(!party.exists(party.layout.gang(id, 0)));
        makeRoom(party, 2);
        party.settle(5s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 3u);
    }

    // It was tried again and again without a pause, and the arrays of the queue stood still.
    void whatCannotBeRemovedFromItsRoundStopsNobodyElse()
    {
        WorkerParty party(3);
        const Working first(party, 1, 2);
        party.settle(2s);
        const JobId id = party.submit(gangOf(2));
        party.settle(1s);
        const zk::Path inTheWay = party.layout.gang(id, 0) / GangStart::Name / "somebodys";
        party.write(inTheWay, {});
        QTest::ignoreMessage(QtWarningMsg,
                             QRegularExpression(QStringLiteral("gang default-0 cannot end as long as nodes")));
        const quint64 before = party.requests();
        party.settle(5min);
        QVERIFY2(party.requests() - before < 5000, qPrintable(QString::number(party.requests() - before)));
        QVERIFY(!party.exists(party.layout.done(id)));
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        const JobId array = party.submit(spec);
        const JobId next = party.submit(gangOf(2));
        party.settle(5min);
        QCOMPARE(party.recordOf(array).state(), JobState::Succeeded);
        QCOMPARE(party.recordOf(next).state(), JobState::Succeeded);
        party.commit(zk::Transaction().remove(inTheWay));
        party.settle(10s);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(party);
    }

    void holdAndCancelBeforeItBegins()
    {
        WorkerParty party(3);
        const Working first(party, 1, 1);
        party.settle(2s);
        const JobId id = party.submit(gangOf(2));
        party.settle(1s);
        party.run(hold(party[0], party.layout, id, QStringLiteral("me@here")));
        const Working second(party, 2, 1);
        party.settle(1min);
        QVERIFY(runsOf(id, {&first, &second}).empty());
        party.run(release(party[0], party.layout, id));
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(party);
    }

    // The next master finds what the first has begun.
    void aNewMasterGoesOn()
    {
        WorkerParty party(4);
        auto first = std::make_unique<Working>(party, 1, 1); // is master
        party.settle(2s);
        const Working second(party, 2, 1);
        const Working third(party, 3, 2);
        party.settle(2s);
        const JobId busy = party.submit();
        party.settle(100ms);
        const JobId id = party.submit(gangOf(3));
        party.settle(3s);
        party.session(1).crash();
        first.reset();
        party.settle(5min);
        QCOMPARE(party.recordOf(busy).state(), JobState::Succeeded);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(party);
    }
};

QTEST_GUILESS_MAIN(GangTest)
#include "gang_test.moc"
