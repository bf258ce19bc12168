#include "core/jobs/job_cluster.h"
#include "jobs/schedules/schedules.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

ScheduleEntry daily()
{
    return ScheduleEntry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobCluster::spec()};
}

void setPaused(ScheduleEntry &entry)
{
    entry.paused = true;
}

} // namespace

class SchedulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addedListedAndRemoved()
    {
        JobCluster fake;
        QVERIFY(fake.run(listSchedules(fake.cluster())).empty());
        fake.run(addSchedule(fake.cluster(), "b", daily()));
        fake.run(addSchedule(fake.cluster(), "a", daily()));
        fake.write(fake.layout.schedule("c"), "{}");
        const std::vector<StoredSchedule> all = fake.run(listSchedules(fake.cluster()));
        QCOMPARE(all.size(), 3u);
        QCOMPARE(all[0].name, QByteArray("a"));
        QCOMPARE(all[1].entry->job.command, JobCluster::spec().command);
        QVERIFY(!all[2].entry && all[2].malformed.contains(u"version"));

        ScheduleEntry other = daily();
        other.paused = true;
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(addSchedule(fake.cluster(), "a", other)));
        for (const char *const name : {"a", "b", "c"})
            fake.run(removeSchedule(fake.cluster(), name));
        QVERIFY(fake.childrenOf(fake.layout.schedules()).isEmpty());
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(removeSchedule(fake.cluster(), "a")));
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(findSchedule(fake.cluster(), "a")));
    }

    void aScheduleOfAnInvalidJobIsRefused()
    {
        JobCluster fake;
        ScheduleEntry entry = daily();
        entry.job.queue = "gpu";
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(addSchedule(fake.cluster(), "a", entry)));
        entry.job = JobCluster::spec();
        entry.job.command.append(QString(JobSpec::MaxSize - entry.job.encode().size() - 10, u'x'));
        QVERIFY(entry.job.encode().size() <= JobSpec::MaxSize); // without the key of a tick
        QVERIFY_THROWS_EXCEPTION(SpecTooLarge, fake.run(addSchedule(fake.cluster(), "a", entry)));
        QVERIFY(fake.childrenOf(fake.layout.schedules()).isEmpty());
    }

    void editingOverwritesNoOtherChange()
    {
        JobCluster fake;
        fake.run(addSchedule(fake.cluster(), "a", daily()));
        int edits = 0;
        const auto edit = [&](ScheduleEntry &entry) {
            if (++edits == 1) { // the master has written since it was read
                ScheduleEntry ticked = daily();
                ticked.lastTick = 5min;
                (void)fake[0].set(fake.layout.schedule("a"), ticked.encode());
            }
            entry.paused = true;
        };
        fake.run(editSchedule(fake.cluster(), "a", AuditAction::CronPaused, edit));
        const StoredSchedule stored = fake.run(findSchedule(fake.cluster(), "a"));
        QCOMPARE(edits, 2);
        QVERIFY(stored.entry->paused);
        QCOMPARE(stored.entry->lastTick, std::chrono::milliseconds(5min));
        QVERIFY_THROWS_EXCEPTION(NotFound,
                                 fake.run(editSchedule(fake.cluster(), "b", AuditAction::CronPaused, setPaused)));
        fake.write(fake.layout.schedule("c"), "?");
        QVERIFY_THROWS_EXCEPTION(WrongState,
                                 fake.run(editSchedule(fake.cluster(), "c", AuditAction::CronPaused, setPaused)));
    }

    // Since then its ticks count; none before was missed.
    void aResumeAndOtherTimesAreWrittenDown()
    {
        JobCluster fake;
        ScheduleEntry first = daily();
        first.lastTick = 5min;
        fake.run(addSchedule(fake.cluster(), "a", first));
        const auto stored = [&fake] { return *fake.run(findSchedule(fake.cluster(), "a")).entry; };
        fake.run(resumeSchedule(fake.cluster(), "a")); // it is not paused
        QCOMPARE(stored().since.count(), 0);
        fake.run(pauseSchedule(fake.cluster(), "a"));
        fake.run(resumeSchedule(fake.cluster(), "a"));
        QVERIFY(stored().since > 5min);
        QCOMPARE(stored().since, stored().lastTick);
        const std::chrono::milliseconds resumed = stored().since;
        ScheduleEntry another = daily();
        another.job.comment = u"the same times"_qs;
        another.lastTick = resumed + 1h;
        QCOMPARE(another.inPlaceOf(stored()).since, resumed);
        another.when = CronSchedule::parse(u"@hourly"_qs);
        QCOMPARE(another.inPlaceOf(stored()).since, resumed + 1h);
    }

    void aLostReplyIsNoFailure_data()
    {
        QTest::addColumn<int>("operation");
        for (int operation = 1; operation <= 9; ++operation)
            QTest::addRow("reply %d lost", operation) << operation;
    }
    void aLostReplyIsNoFailure()
    {
        QFETCH(int, operation);
        FaultPlan plan;
        plan.scripted[static_cast<quint64>(operation)] = Fault::LoseReply;
        FaultInjector faults(plan);
        JobCluster fake(2, {.faults = &faults});
        fake.run(addSchedule(fake.cluster(1), "a", daily()));
        QVERIFY(!fake.run(findSchedule(fake.cluster(1), "a")).entry->paused);
        fake.run(editSchedule(fake.cluster(1), "a", AuditAction::CronPaused, setPaused));
        QVERIFY(fake.run(findSchedule(fake.cluster(1), "a")).entry->paused);
        fake.run(removeSchedule(fake.cluster(1), "a"));
        QVERIFY(fake.childrenOf(fake.layout.schedules()).isEmpty());
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
    }
};

QTEST_GUILESS_MAIN(SchedulesTest)
#include "schedules_test.moc"
