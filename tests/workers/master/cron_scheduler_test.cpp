#include "jobs/client/job_control.h"
#include "workers/master/cron_scheduler_cluster.h"

#include <QElapsedTimer>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using CatchUp = ScheduleEntry::CatchUp;
using Overlap = ScheduleEntry::Overlap;

class CronSchedulerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itSubmitsDueJobs()
    {
        CronSchedulerCluster fake;
        fake.elect(1);
        fake.add("a", "*/5 * * * *");
        fake.until("2026-11-21T00:04:59Z");
        QVERIFY(fake.ticks().isEmpty());
        fake.until("2026-11-21T00:05:01Z");
        QCOMPARE(fake.ticks(), QStringList{QStringLiteral("a 00:05")});
        QCOMPARE(fake.entry("a").lastTick, fake.at("2026-11-21T00:05:00Z"));
        QCOMPARE(fake.entry("a").lastRun, fake.at("2026-11-21T00:05:00Z"));
        QCOMPARE(*fake.entry("a").lastJob, (JobId{"default", 0}));
        fake.add("b", "8 * * * *"); // seen at once
        fake.until("2026-11-21T00:10:00Z");
        QCOMPARE(fake.ticks().join(u','), QStringLiteral("a 00:05,b 00:08,a 00:10"));
        QCOMPARE(*fake.entry("a").lastJob, (JobId{"default", 2}));
    }

    void aPreciseTickOnARoundedClock()
    {
        CronSchedulerCluster fake;
        std::vector<std::chrono::milliseconds> lateness;
        fake.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
            if (multi && multi->transaction.size() == 3)
                lateness.push_back(fake.now() % 1min);
        });
        fake.elect(1);
        fake.settle(300ms);
        fake.add("a", "* * * * *");
        fake.until("2026-11-21T00:03:30Z");
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
        CronSchedulerCluster fake;
        fake.add("a", "0 */3 * * *", catchUp);
        fake.until("2026-11-21T17:30:00Z");
        fake.elect(1);
        fake.until("2026-11-21T17:31:00Z");
        QCOMPARE(fake.entry("a").lastTick, fake.at("2026-11-21T15:00:00Z"));
        fake.until("2026-11-21T18:00:01Z");
        QCOMPARE(fake.ticks().join(u','), expected);
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
        CronSchedulerCluster fake;
        fake.add("a", "*/5 * * * *", CatchUp::One, overlap);
        fake.elect(1);
        fake.until("2026-11-21T00:07:00Z");
        if (!noted) {
            ScheduleEntry forgetful = fake.entry("a");
            forgetful.lastJob.reset();
            fake.write(fake.layout.schedule("a"), forgetful.encode());
        }
        const QByteArray first = fake.childrenOf(fake.layout.queue("default")).front();
        QStringList all = fake.ticks();
        fake.until("2026-11-21T00:12:00Z");
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), cancelled);
        all += fake.ticks().mid(overlap == Overlap::Replace ? 0 : 1);
        for (const QByteArray &name : fake.childrenOf(fake.layout.queue("default")))
            fake.endJob(name);
        QCOMPARE(fake.entry("a").lastTick, fake.at("2026-11-21T00:10:00Z"));
        fake.until("2026-11-21T00:17:00Z"); // the one before has ended, whatever the policy
        all += fake.ticks();
        if (overlap == Overlap::Replace)
            all.removeFirst(); // the one that was replaced
        QCOMPARE(all.join(u','), expected);
        QVERIFY(!fake.childrenOf(fake.layout.queue("default")).contains(first));
    }

    void aJobInAnotherQueueStillRuns()
    {
        CronSchedulerCluster fake;
        fake.run(ensureCluster(fake.cluster(), {"default", "other"}));
        fake.add("a", "*/5 * * * *", CatchUp::One, Overlap::Skip);
        fake.elect(1);
        fake.until("2026-11-21T00:07:00Z");
        QCOMPARE(fake.ticks(), QStringList{QStringLiteral("a 00:05")});
        const JobId moved = fake.run(moveToQueue(fake.cluster(), *fake.entry("a").lastJob, "other", {})).id;
        QCOMPARE(fake.stateOf(moved), JobState::Ready);
        fake.until("2026-11-21T00:12:00Z");
        QCOMPARE(fake.entry("a").lastTick, fake.at("2026-11-21T00:10:00Z"));
        QCOMPARE(fake.ticks(), QStringList());
        fake.JobCluster::end(moved, 0);
        fake.until("2026-11-21T00:17:00Z");
        QCOMPARE(fake.ticks(), QStringList{QStringLiteral("a 00:15")});
    }

    void aFullQueueOrNoneIsWaitedFor()
    {
        CronSchedulerCluster fake;
        ClusterConfig config;
        config.queueLimit = 2;
        fake.add("a", "*/5 * * * *", CatchUp::All);
        fake.elect(1);
        fake.scheduler(1).setConfig(config);
        fake.until("2026-11-21T00:22:00Z");
        QCOMPARE(fake.ticks().join(u','), QStringLiteral("a 00:05,a 00:10"));
        QCOMPARE(fake.entry("a").lastTick, fake.at("2026-11-21T00:10:00Z"));
        for (const QByteArray &name : fake.childrenOf(fake.layout.queue("default")))
            fake.endJob(name);
        fake.commit(zk::Transaction().remove(fake.layout.queue("default")));
        fake.until("2026-11-21T00:23:00Z");
        QVERIFY(fake.works(1));
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), QByteArrayList(1, "default")));
        fake.until("2026-11-21T00:24:00Z");
        QCOMPARE(fake.ticks().join(u','), QStringLiteral("a 00:15,a 00:20"));
    }

    void aQueueOutOfNumbersTakesNoJob()
    {
        CronSchedulerCluster fake;
        fake.server.tree().setNextSequence(fake.layout.queue("default"), zk::LastSequence - 1);
        fake.add("a", "*/5 * * * *");
        fake.elect(1);
        fake.until("2026-11-21T00:17:00Z");
        QCOMPARE(fake.ticks(), QStringList{QStringLiteral("a 00:05")});
        QVERIFY(fake.works(1));
    }

    void pausedRemovedAndMalformedSchedulesStopNoOther()
    {
        CronSchedulerCluster fake;
        fake.elect(1);
        for (const char *const name : {"bad", "gone", "good", "paused"})
            fake.add(name, "* * * * *");
        fake.write(fake.layout.schedule("bad"), "{\"v\":1}");
        const auto pause = [](ScheduleEntry &entry) { entry.paused = true; };
        fake.run(editSchedule(Cluster(fake[0], fake.layout), "paused", AuditAction::CronPaused, pause));
        fake.commit(zk::Transaction().remove(fake.layout.schedule("gone")));
        fake.until("2026-11-21T00:02:01Z");
        QCOMPARE(fake.ticks().join(u','), QStringLiteral("good 00:01,good 00:02"));
        fake.commit(zk::Transaction().remove(fake.layout.schedule("bad")));
        fake.add("bad", "* * * * *"); // it has got better
        fake.until("2026-11-21T00:03:01Z");
        QStringList last = fake.ticks().mid(2);
        last.sort();
        QCOMPARE(last.join(u','), QStringLiteral("bad 00:03,good 00:03"));
    }

    void aClockThatIsSet()
    {
        CronSchedulerCluster fake;
        fake.elect(1);
        fake.add("a", "0 * * * *");
        fake.until("2026-11-21T06:30:00Z");
        QCOMPARE(fake.ticks().size(), 6);
        fake.setClock("2026-11-21T05:30:00Z"); // no hour comes twice
        fake.until("2026-11-21T06:59:00Z");
        QCOMPARE(fake.ticks().size(), 6);
        fake.until("2026-11-21T07:00:01Z");
        QCOMPARE(fake.ticks().size(), 7);
        fake.setClock("2026-11-21T09:59:50Z"); // forward: of 08:00 and 09:00 the latest is caught up
        fake.settle(2s);
        QCOMPARE(fake.ticks().mid(7).join(u','), QStringLiteral("a 09:00"));
        fake.until("2026-11-21T10:00:01Z");
        QCOMPARE(fake.ticks().mid(8).join(u','), QStringLiteral("a 10:00"));
        fake.setClock("2036-01-01T00:00:00Z"); // quite wrong, and mended
        fake.settle(2s);
        QCOMPARE(fake.ticks().size(), 10);
        fake.setClock("2026-11-21T10:30:00Z");
        fake.until("2026-11-21T11:00:01Z");
        QCOMPARE(fake.ticks().mid(10).join(u','), QStringLiteral("a 11:00"));
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
        CronSchedulerCluster fake(2, {.faults = &faults});
        fake.add("a", "*/5 * * * *", CatchUp::All);
        fake.elect(1);
        fake.until("2026-11-21T00:31:00Z");
        QCOMPARE(faults.log().count(static_cast<Fault>(fault)), 1u);
        QCOMPARE(fake.ticks().join(u','), QStringLiteral("a 00:05,a 00:10,a 00:15,a 00:20,a 00:25,a 00:30"));
    }

    // Both may write: the version alone decides.
    void twoMastersShareTheTicks()
    {
        CronSchedulerCluster fake(3, {.latency = 3ms});
        fake.elect(1);
        fake.elect(2);
        fake.add("a", "* * * * *");
        fake.add("b", "@every 7s");
        fake.until("2026-11-21T00:10:01Z");
        const QStringList ticks = fake.ticks();
        QCOMPARE(ticks.filter(QStringLiteral("a ")).size(), 10);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 10 + 600 / 7);
        QVERIFY(fake.works(1) && fake.works(2));
    }

    void twoMastersWithoutVersionsDoNot()
    {
        CronSchedulerCluster fake(3, {.latency = 3ms, .sabotage = checkNothing});
        fake.elect(1);
        fake.elect(2);
        fake.add("a", "* * * * *");
        fake.until("2026-11-21T00:10:01Z");
        QVERIFY(fake.ticks().size() > 10);
    }

    void aDeposedMasterStops()
    {
        CronSchedulerCluster fake(3);
        fake.add("a", "* * * * *");
        fake.elect(1);
        fake.until("2026-11-21T00:01:30Z");
        fake.depose(1);
        fake.until("2026-11-21T00:02:30Z");
        QCOMPARE(fake.ticks().size(), 1);
        QVERIFY(!fake.works(1));
        fake.elect(2);
        fake.until("2026-11-21T00:03:30Z");
        QCOMPARE(fake.ticks().join(u','), QStringLiteral("a 00:01,a 00:02,a 00:03"));
    }

    void manyAtTheSameMinute()
    {
        CronSchedulerCluster fake(2, {.latency = 5ms});
        for (int i = 0; i < 200; ++i)
            fake.add("s" + QByteArray::number(i), "0 1 * * *");
        fake.elect(1);
        fake.until("2026-11-21T01:00:01Z"); // four flights of a few round trips
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 200);
    }

    void aWeekOfCron()
    {
        CronSchedulerCluster fake;
        fake.add("a", "*/10 * * * *");
        fake.add("b", "30 2 * * MON-FRI");
        fake.elect(1);
        std::map<QString, int> ticks;
        fake.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
            if (!multi || multi->transaction.size() != 3)
                return;
            const auto *create = std::get_if<zk::Transaction::Create>(&multi->transaction.operations()[2]);
            ++ticks[JobSpec::decode(create->data, "default", 5).key];
        });
        QElapsedTimer timer;
        timer.start();
        fake.settle(7 * 24h);
        qInfo("a week, looking at the clock every second: %lld ms", timer.elapsed());
        QCOMPARE(ticks.size(), 7u * 24 * 6 + 5);
        for (const auto &[key, count] : ticks)
            QCOMPARE(count, 1);
        const std::size_t steps = fake.server.log().size();
        QVERIFY2(steps < 3 * ticks.size(), "it writes when nothing is due");
    }
};

QTEST_GUILESS_MAIN(CronSchedulerTest)
#include "cron_scheduler_test.moc"
