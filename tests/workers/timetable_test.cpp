#include "workers/timetable_party.h"

#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using CatchUp = ScheduleEntry::CatchUp;
using Overlap = ScheduleEntry::Overlap;

class TimetableTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.timetable*=false")); }

    void itSubmitsWhatIsDue()
    {
        TimetableParty party;
        party.elect(1);
        party.add("a", "*/5 * * * *");
        party.until("2026-11-21T00:04:59Z");
        QVERIFY(party.ticks().isEmpty());
        party.until("2026-11-21T00:05:01Z");
        QCOMPARE(party.ticks(), QStringList{QStringLiteral("a 00:05")});
        QCOMPARE(party.entry("a").lastTick, party.at("2026-11-21T00:05:00Z"));
        QCOMPARE(party.entry("a").lastRun, party.at("2026-11-21T00:05:00Z"));
        QCOMPARE(*party.entry("a").lastJob, (JobId{"default", 0}));
        party.add("b", "8 * * * *"); // seen at once
        party.until("2026-11-21T00:10:00Z");
        QCOMPARE(party.ticks().join(u','), QStringLiteral("a 00:05,b 00:08,a 00:10"));
        QCOMPARE(*party.entry("a").lastJob, (JobId{"default", 2}));
    }

    void aPreciseTickOnARoundedClock()
    {
        TimetableParty party;
        std::vector<std::chrono::milliseconds> lateness;
        party.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
            if (multi && multi->transaction.size() == 3)
                lateness.push_back(party.now() % 1min);
        });
        party.elect(1);
        party.settle(300ms);
        party.add("a", "* * * * *");
        party.until("2026-11-21T00:03:30Z");
        QCOMPARE(lateness, std::vector<std::chrono::milliseconds>(3, 0ms));
    }

    void aDayWithoutAMaster_data()
    {
        QTest::addColumn<CatchUp>("catchUp");
        QTest::addColumn<QString>("expected");
        QTest::newRow("none") << CatchUp::None << QStringLiteral("a 18:00");
        QTest::newRow("one") << CatchUp::One << QStringLiteral("a 15:00,a 18:00");
        QTest::newRow("all") << CatchUp::All << QStringLiteral("a 03:00,a 06:00,a 09:00,a 12:00,a 15:00,a 18:00");
    }
    void aDayWithoutAMaster()
    {
        QFETCH(CatchUp, catchUp);
        QFETCH(QString, expected);
        TimetableParty party;
        party.add("a", "0 */3 * * *", catchUp);
        party.until("2026-11-21T17:30:00Z");
        party.elect(1);
        party.until("2026-11-21T17:31:00Z");
        QCOMPARE(party.entry("a").lastTick, party.at("2026-11-21T15:00:00Z"));
        party.until("2026-11-21T18:00:01Z");
        QCOMPARE(party.ticks().join(u','), expected);
    }

    void overlapping_data()
    {
        QTest::addColumn<Overlap>("overlap");
        QTest::addColumn<bool>("noted"); // whether the id of the first job was
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("cancelled");
        QTest::newRow("allow") << Overlap::Allow << true << QStringLiteral("a 00:05,a 00:10,a 00:15") << 0;
        for (const bool noted : {true, false}) {
            const char *const suffix = noted ? "" : ", its job sought by the key";
            QTest::addRow("skip%s", suffix) << Overlap::Skip << noted << QStringLiteral("a 00:05,a 00:15") << 0;
            QTest::addRow("replace%s", suffix) << Overlap::Replace << noted << QStringLiteral("a 00:10,a 00:15") << 1;
        }
    }
    void overlapping()
    {
        QFETCH(Overlap, overlap);
        QFETCH(bool, noted);
        QFETCH(QString, expected);
        QFETCH(int, cancelled);
        TimetableParty party;
        party.add("a", "*/5 * * * *", CatchUp::One, overlap);
        party.elect(1);
        party.until("2026-11-21T00:07:00Z");
        if (!noted) {
            ScheduleEntry forgetful = party.entry("a");
            forgetful.lastJob.reset();
            party.write(party.layout.schedule("a"), forgetful.encode());
        }
        const QByteArray first = party.childrenOf(party.layout.queue("default")).front();
        QStringList all = party.ticks();
        party.until("2026-11-21T00:12:00Z");
        QCOMPARE(party.childrenOf(party.layout.done()).size(), cancelled);
        all += party.ticks().mid(overlap == Overlap::Replace ? 0 : 1);
        for (const QByteArray &name : party.childrenOf(party.layout.queue("default")))
            party.endJob(name);
        QCOMPARE(party.entry("a").lastTick, party.at("2026-11-21T00:10:00Z"));
        party.until("2026-11-21T00:17:00Z"); // the one before has ended, whatever the policy
        all += party.ticks();
        if (overlap == Overlap::Replace)
            all.removeFirst(); // the one that was replaced
        QCOMPARE(all.join(u','), expected);
        QVERIFY(!party.childrenOf(party.layout.queue("default")).contains(first));
    }

    void aFullQueueOrNoneIsWaitedFor()
    {
        TimetableParty party;
        ClusterConfig config;
        config.queueLimit = 2;
        party.add("a", "*/5 * * * *", CatchUp::All);
        party.elect(1);
        party.timetable(1).setConfig(config);
        party.until("2026-11-21T00:22:00Z");
        QCOMPARE(party.ticks().join(u','), QStringLiteral("a 00:05,a 00:10"));
        QCOMPARE(party.entry("a").lastTick, party.at("2026-11-21T00:10:00Z"));
        for (const QByteArray &name : party.childrenOf(party.layout.queue("default")))
            party.endJob(name);
        party.commit(zk::Transaction().remove(party.layout.queue("default")));
        party.until("2026-11-21T00:23:00Z");
        QVERIFY(party.works(1));
        party.run(ensureCluster(party[0], party.layout, QByteArrayList(1, "default")));
        party.until("2026-11-21T00:24:00Z");
        QCOMPARE(party.ticks().join(u','), QStringLiteral("a 00:15,a 00:20"));
    }

    void aQueueOutOfNumbersTakesNoJob()
    {
        TimetableParty party;
        party.server.tree().setNextSequence(party.layout.queue("default"), zk::LastSequence - 1);
        party.add("a", "*/5 * * * *");
        party.elect(1);
        party.until("2026-11-21T00:17:00Z");
        QCOMPARE(party.ticks(), QStringList{QStringLiteral("a 00:05")});
        QVERIFY(party.works(1));
    }

    void pausedRemovedAndMalformedOnesStopNobody()
    {
        TimetableParty party;
        party.elect(1);
        for (const char *const name : {"bad", "gone", "good", "paused"})
            party.add(name, "* * * * *");
        party.write(party.layout.schedule("bad"), "{\"v\":1}");
        const auto pause = [](ScheduleEntry &entry) { entry.paused = true; };
        party.run(editSchedule(party[0], party.layout, "paused", pause));
        party.commit(zk::Transaction().remove(party.layout.schedule("gone")));
        party.until("2026-11-21T00:02:01Z");
        QCOMPARE(party.ticks().join(u','), QStringLiteral("good 00:01,good 00:02"));
        party.commit(zk::Transaction().remove(party.layout.schedule("bad")));
        party.add("bad", "* * * * *"); // it has got better
        party.until("2026-11-21T00:03:01Z");
        QStringList last = party.ticks().mid(2);
        last.sort();
        QCOMPARE(last.join(u','), QStringLiteral("bad 00:03,good 00:03"));
    }

    void aClockThatIsSet()
    {
        TimetableParty party;
        party.elect(1);
        party.add("a", "0 * * * *");
        party.until("2026-11-21T06:30:00Z");
        QCOMPARE(party.ticks().size(), 6);
        party.setClock("2026-11-21T05:30:00Z"); // no hour comes twice
        party.until("2026-11-21T06:59:00Z");
        QCOMPARE(party.ticks().size(), 6);
        party.until("2026-11-21T07:00:01Z");
        QCOMPARE(party.ticks().size(), 7);
        party.setClock("2026-11-21T09:59:50Z"); // forward: of 08:00 and 09:00 the latest is caught up
        party.settle(2s);
        QCOMPARE(party.ticks().mid(7).join(u','), QStringLiteral("a 09:00"));
        party.until("2026-11-21T10:00:01Z");
        QCOMPARE(party.ticks().mid(8).join(u','), QStringLiteral("a 10:00"));
        party.setClock("2036-01-01T00:00:00Z"); // quite wrong, and mended
        party.settle(2s);
        QCOMPARE(party.ticks().size(), 10);
        party.setClock("2026-11-21T10:30:00Z");
        party.until("2026-11-21T11:00:01Z");
        QCOMPARE(party.ticks().mid(10).join(u','), QStringLiteral("a 11:00"));
    }

    // Each of the master's first requests in turn.
    void lostOnce_data()
    {
        QTest::addColumn<int>("operation");
        QTest::addColumn<int>("fault");
        for (int operation = 1; operation <= 24; ++operation) {
            QTest::addRow("request %d", operation) << operation << int(Fault::LoseRequest);
            QTest::addRow("reply %d", operation) << operation << int(Fault::LoseReply);
        }
    }
    void lostOnce()
    {
        QFETCH(int, operation);
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[static_cast<quint64>(operation)] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        TimetableParty party(2, {.faults = &faults});
        party.add("a", "*/5 * * * *", CatchUp::All);
        party.elect(1);
        party.until("2026-11-21T00:31:00Z");
        QCOMPARE(faults.log().count(static_cast<Fault>(fault)), 1u);
        QCOMPARE(party.ticks().join(u','), QStringLiteral("a 00:05,a 00:10,a 00:15,a 00:20,a 00:25,a 00:30"));
    }

    // Both may write: the version alone decides.
    void twoMastersShareTheTicks()
    {
        TimetableParty party(3, {.latency = 3ms});
        party.elect(1);
        party.elect(2);
        party.add("a", "* * * * *");
        party.add("b", "@every 7s");
        party.until("2026-11-21T00:10:01Z");
        const QStringList ticks = party.ticks();
        QCOMPARE(ticks.filter(QStringLiteral("a ")).size(), 10);
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 10 + 600 / 7);
        QVERIFY(party.works(1) && party.works(2));
    }

    void twoMastersWithoutVersionsDoNot()
    {
        TimetableParty party(3, {.latency = 3ms, .sabotage = checkNothing});
        party.elect(1);
        party.elect(2);
        party.add("a", "* * * * *");
        party.until("2026-11-21T00:10:01Z");
        QVERIFY(party.ticks().size() > 10);
    }

    void aDeposedMasterStops()
    {
        TimetableParty party(3);
        party.add("a", "* * * * *");
        party.elect(1);
        party.until("2026-11-21T00:01:30Z");
        party.depose(1);
        party.until("2026-11-21T00:02:30Z");
        QCOMPARE(party.ticks().size(), 1);
        QVERIFY(!party.works(1));
        party.elect(2);
        party.until("2026-11-21T00:03:30Z");
        QCOMPARE(party.ticks().join(u','), QStringLiteral("a 00:01,a 00:02,a 00:03"));
    }

    void manyAtTheSameMinute()
    {
        TimetableParty party(2, {.latency = 5ms});
        for (int i = 0; i < 200; ++i)
            party.add("s" + QByteArray::number(i), "0 1 * * *");
        party.elect(1);
        party.until("2026-11-21T01:00:01Z"); // four flights of a few round trips
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 200);
    }

    void aWeekOfCron()
    {
        TimetableParty party;
        party.add("a", "*/10 * * * *");
        party.add("b", "30 2 * * MON-FRI");
        party.elect(1);
        std::map<QString, int> ticks;
        party.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
            if (!multi || multi->transaction.size() != 3)
                return;
            const auto *create = std::get_if<zk::Transaction::Create>(&multi->transaction.operations()[2]);
            ++ticks[JobSpec::decode(create->data, "default", 5).key];
        });
        QElapsedTimer timer;
        timer.start();
        party.settle(7 * 24h);
        qInfo("a week, looking at the clock every second: %lld ms", timer.elapsed());
        QCOMPARE(ticks.size(), 7u * 24 * 6 + 5);
        for (const auto &[key, count] : ticks)
            QCOMPARE(count, 1);
        const std::size_t steps = party.server.log().size();
        QVERIFY2(steps < 3 * ticks.size(), "it writes when nothing is due");
    }
};

QTEST_GUILESS_MAIN(TimetableTest)
#include "timetable_test.moc"
